/** What an evicted pod is told (pkg/kubelet/eviction evictionMessage), to the letter: each piece ends with a blank. Pure. */
import type { Pod } from "@hooklet/core";
import { compareQuantities, formatQuantity, parseQuantity, podLevelResources, quantityOf } from "@hooklet/core/rules";
import type { Observations } from "../observations.js";
import { resourceOf, type StarvedResource } from "../signals.js";
import { type ContainerStatistics, type PodStatistics, plausible } from "../statistics.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";
import { memoryUsage } from "../usage/pod-usage.js";
import { crossedText } from "./amounts.js";

/** Annotations of the event; without statistics of the pod there are none. */
export type EvictionAnnotations = Readonly<Record<string, string>>;

export interface MessageInput {
  readonly resource: StarvedResource;
  readonly pod: Pod;
  readonly statistics: PodStatistics | undefined;
  /** Those acted on; the first about the resource that has an observation is told. */
  readonly thresholds: readonly EvictionThreshold[];
  readonly observations: Observations;
}

export interface EvictionMessage {
  readonly message: string;
  readonly annotations: EvictionAnnotations;
}

export function evictionMessage(input: MessageInput): EvictionMessage {
  const { resource, pod, statistics } = input;
  const low = `The node was low on resource: ${resource}. ${thresholdText(input)}`;
  if (statistics === undefined) return { message: low, annotations: {} };
  const whole = offendingPod(resource, pod, statistics);
  const containers = offendingContainers(resource, pod, statistics);
  return {
    message: [low, whole?.text ?? "", ...containers.map(({ text }) => text)].join(""),
    annotations: {
      ...(whole === undefined ? {} : { offending_pod: whole.name, offending_pod_usage: whole.usage }),
      offending_containers: containers.map(({ name }) => name).join(","),
      offending_containers_usage: containers.map(({ usage }) => usage).join(","),
      starved_resource: resource,
    },
  };
}

function thresholdText({ resource, thresholds, observations }: MessageInput): string {
  for (const { signal, value } of thresholds) {
    const seen = resourceOf(signal) === resource ? observations.get(signal) : undefined;
    if (seen === undefined) continue;
    return crossedText(signal, value, seen);
  }
  return "";
}

interface Offender {
  readonly name: string;
  readonly usage: string;
  readonly text: string;
}

const bytes = (amount: number) => quantityOf(amount, "BinarySI");

function offender(kind: "Pod" | "Container", name: string, usage: string, request: string, resource: string): Offender {
  const text = `${kind} ${name} was using ${usage}, request is ${request}, has larger consumption of ${resource}. `;
  return { name, usage, text };
}

/** Named when it has a request of its own at pod level, exceeded or not. */
function offendingPod(resource: StarvedResource, pod: Pod, statistics: PodStatistics): Offender | undefined {
  if (resource !== "memory" || statistics.memory === undefined) return undefined;
  const request = podLevelResources(pod)?.requests?.memory;
  if (request === undefined) return undefined;
  const usage = formatQuantity(bytes(memoryUsage(statistics)));
  return offender("Pod", pod.metadata.name, usage, formatQuantity(parseQuantity(String(request))), resource);
}

/** Those over their own request, in the order of the statistics. Ephemeral containers cannot have one and are never named. */
function offendingContainers(resource: StarvedResource, pod: Pod, statistics: PodStatistics): readonly Offender[] {
  const { containers, initContainers = [] } = pod.spec;
  const named = new Map([...initContainers, ...containers].map((container) => [container.name, container]));
  return (statistics.containers ?? []).flatMap((one) => {
    const container = named.get(one.name);
    const used = containerUsage(resource, one);
    if (container === undefined || used === undefined) return [];
    const request = parseQuantity(String(container.resources?.requests?.[resource] ?? "0"));
    const usage = bytes(used);
    if (compareQuantities(usage, request) <= 0) return [];
    return [offender("Container", one.name, formatQuantity(usage), formatQuantity(request), resource)];
  });
}

/** Bytes; undefined when unknown, and for what containers are not measured by. */
function containerUsage(resource: StarvedResource, { memory, rootfs, logs }: ContainerStatistics): number | undefined {
  if (resource === "memory") return plausible(memory?.workingSetBytes);
  if (resource !== "ephemeral-storage") return undefined;
  const [layer, log] = [plausible(rootfs?.usedBytes), plausible(logs?.usedBytes)];
  return layer === undefined || log === undefined ? undefined : layer + log;
}
