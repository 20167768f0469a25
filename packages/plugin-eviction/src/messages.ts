/** The kubelet's reasons, events, condition texts and eviction messages (pkg/kubelet/eviction, nodestatus/setters.go). Pure. */

import { allContainers, type Pod } from "@hooklet/core";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  podLevelResources,
  quantityOf,
  quantityValue,
  thresholdQuantity,
} from "@hooklet/core/rules";
import { memoryUsage } from "./candidates.js";
import {
  type ContainerStatistics,
  type Observation,
  type Observations,
  type PodStatistics,
  plausible,
} from "./observations.js";
import {
  isCounted,
  isStallSignal,
  type PressureCondition,
  resourceOf,
  type Signal,
  STALL_CAPACITY,
  type StarvedResource,
} from "./signals.js";
import type { EvictionThreshold, ThresholdValue } from "./thresholds.js";

export const EVICTED = "Evicted";

export const conditionOfVictim = { type: "DisruptionTarget", reason: "TerminationByKubelet" } as const;

/** A node event. */
export const thresholdMetEvent = {
  reason: "EvictionThresholdMet",
  message: (resource: StarvedResource): string => `Attempting to reclaim ${resource}`,
} as const;

export function admissionMessage(conditions: readonly PressureCondition[]): string {
  return `The node had condition: [${conditions.join(" ")}]. `;
}

interface Texts {
  readonly reason: string;
  readonly message: string;
}

const pressure: Readonly<Record<PressureCondition, Readonly<Record<"True" | "False", Texts>>>> = {
  MemoryPressure: {
    True: { reason: "KubeletHasInsufficientMemory", message: "kubelet has insufficient memory available" },
    False: { reason: "KubeletHasSufficientMemory", message: "kubelet has sufficient memory available" },
  },
  DiskPressure: {
    True: { reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" },
    False: { reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
  },
  PIDPressure: {
    True: { reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" },
    False: { reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
  },
};

export const pressureConditions = Object.keys(pressure) as readonly PressureCondition[];

/** A node condition as the API shows it. */
export interface ConditionStatus extends Texts {
  readonly status: "True" | "False";
}

export interface ConditionChange {
  readonly condition: ConditionStatus;
  /** The reason of the node event; undefined when nothing changed: reason, message and transition time stay then. */
  readonly event?: string;
}

/** @param previous undefined when the node has no such condition yet */
export function conditionChange(
  type: PressureCondition,
  underPressure: boolean,
  previous: ConditionStatus | undefined,
): ConditionChange {
  const status = underPressure ? "True" : "False";
  if (previous?.status === status) return { condition: previous };
  const texts = pressure[type][status];
  return { condition: { status, ...texts }, event: texts.reason.replace(/^Kubelet/, "Node") };
}

/** How messages print what is available: bytes with binary suffixes, inodes and processes with decimal ones; stalls as a share of time. */
export function availableText(signal: Signal, { available }: Pick<Observation, "available">): string {
  return isStallSignal(signal) ? stalledText(available) : amountText(resourceOf(signal), available);
}

/** `512Mi`, `100k`; of io what goes by in a second. */
export function amountText(resource: StarvedResource, amount: number): string {
  const text = formatQuantity(quantityOf(amount, isCounted(resource) ? "DecimalSI" : "BinarySI"));
  return resource === "io" ? `${text}/s` : text;
}

/** `10%`, `100Mi`: a threshold's value. Of stalls: the share of time that is too much. */
export function valueText({ signal, value }: Pick<EvictionThreshold, "signal" | "value">): string {
  if ("percentage" in value) return percentText(value.percentage * 100);
  return isStallSignal(signal) ? stalledText(quantityValue(value.quantity)) : formatQuantity(value.quantity);
}

/** The part of a message about the crossed threshold: the kubelet's text, or for stalls hooklet's. Ends with a blank. */
export function crossedText(signal: Signal, value: ThresholdValue, seen: Observation): string {
  if (isStallSignal(signal)) {
    return `Threshold: ${signal} above ${valueText({ signal, value })} of the time, found: ${availableText(signal, seen)}. `;
  }
  const quantity = formatQuantity(thresholdQuantity(value, seen.capacity));
  return `Threshold quantity: ${quantity}, available: ${availableText(signal, seen)}. `;
}

function stalledText(available: number): string {
  return percentText(((STALL_CAPACITY - available) / STALL_CAPACITY) * 100);
}

function percentText(percent: number): string {
  return `${Number(percent.toPrecision(6))}%`;
}

/** Annotations of the event; without statistics of the pod there are none. */
export type EvictionAnnotations = Readonly<Record<string, string>>;

export interface MessageInput {
  readonly resource: StarvedResource;
  readonly pod: Pod;
  readonly statistics: PodStatistics | undefined;
  /** The thresholds acted on; the message names the first one whose resource has an observation. */
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

/** Named when it has a request at pod level, exceeded or not. */
function offendingPod(resource: StarvedResource, pod: Pod, statistics: PodStatistics): Offender | undefined {
  if (resource !== "memory" || statistics.memory === undefined) return undefined;
  const request = podLevelResources(pod)?.requests?.memory;
  if (request === undefined) return undefined;
  const usage = formatQuantity(bytes(memoryUsage(statistics)));
  return offender("Pod", pod.metadata.name, usage, formatQuantity(parseQuantity(String(request))), resource);
}

/** Those over their own request, in the order of the statistics. Ephemeral containers cannot have one and are never named. */
function offendingContainers(resource: StarvedResource, pod: Pod, statistics: PodStatistics): readonly Offender[] {
  const named = new Map(allContainers(pod).map((container) => [container.name, container]));
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
