/** Settings of a pod's cgroup (pkg/kubelet/cm/helpers_linux.go ResourceConfigForPod). Pure. */

import type { Container, Pod, QosClass } from "@hooklet/core";
import {
  amountOf,
  parseList,
  parseQuantity,
  podLevelResources,
  podLimits,
  podRequests,
  qosClass,
  type ResourceList,
} from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { claimedByPod } from "./claims.js";
import { type CpuAndMemoryInput, type CpuAndMemoryRule, cpuAndMemory } from "./container.js";
import { hugePageLimits } from "./huge-pages.js";
import { type MemoryReservationPolicy, protectedMemory } from "./memory-qos.js";
import {
  DEFAULT_PERIOD,
  MIN_SHARES,
  milliCpuToQuota,
  milliCpuToShares,
  type ResourceConfig,
  type RuleOptions,
} from "./resource-config.js";

export interface PodRule extends RuleOptions {
  /** False: cpuCFSQuota is off, or the pod has exclusive CPUs; the quota is then -1. */
  readonly enforceCpuLimits: boolean;
  /** Microseconds. */
  readonly cpuPeriod: number;
  /** Gate MemoryQoS on cgroup v2: what of the requests is kept for the pod. Undefined: off. */
  readonly memoryReservationPolicy?: MemoryReservationPolicy | undefined;
  /** `podPidsLimit`; 0 or less = none. */
  readonly podPidsLimit?: number;
}

/** Requests and limits of a pod as numbers, and whether every container has a limit. */
export interface PodAmounts {
  readonly qosClass: QosClass;
  readonly requests: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly cpuLimitsDeclared: boolean;
  readonly memoryLimitsDeclared: boolean;
}

/** Cached by pod object: a pod with another status is another object. */
const known = new WeakMap<Pod, Map<string, PodAmounts>>();

export function podAmounts(pod: Pod, options: RuleOptions = {}): PodAmounts {
  const { podLevelResources: podLevel = true, draNodeAllocatableResources: claims = false } = options;
  const byOptions = known.get(pod) ?? new Map<string, PodAmounts>();
  known.set(pod, byOptions);
  const key = `${podLevel} ${claims}`;
  const amounts = byOptions.get(key) ?? sumUp(pod, podLevel, claims);
  byOptions.set(key, amounts);
  return amounts;
}

function sumUp(pod: Pod, podLevel: boolean, claims: boolean): PodAmounts {
  const requests = { ...podRequests(pod, { podLevelResources: podLevel }) };
  const limits = { ...podLimits(pod, { podLevelResources: podLevel }) };
  if (claims) addClaims(pod, podLevel, requests, limits);
  return {
    qosClass: qosClass(pod, { podLevelResources: podLevel }),
    requests,
    limits,
    cpuLimitsDeclared: limitsDeclared(pod, "cpu", podLevel),
    memoryLimitsDeclared: limitsDeclared(pod, "memory", podLevel),
  };
}

/** One container without a limit frees the whole pod of it, for cpu and memory separately; shares are never touched by that. */
export function podResourceConfig(pod: Pod, rule: PodRule): ResourceConfig {
  const amounts = podAmounts(pod, rule);
  const { requests, limits, cpuLimitsDeclared, memoryLimitsDeclared } = amounts;
  const cpuPeriod = rule.cpuPeriod || DEFAULT_PERIOD;
  const cpuQuota = rule.enforceCpuLimits ? milliCpuToQuota(limits.cpu ?? 0, cpuPeriod) : -1;
  const guaranteed = amounts.qosClass === "Guaranteed";
  const bestEffort = amounts.qosClass === "BestEffort";
  const unified = unifiedOf(amounts, rule.memoryReservationPolicy);
  return {
    cpuShares: bestEffort ? MIN_SHARES : milliCpuToShares(requests.cpu ?? 0),
    ...((guaranteed || (!bestEffort && cpuLimitsDeclared)) && { cpuQuota, cpuPeriod }),
    ...((guaranteed || (!bestEffort && memoryLimitsDeclared)) && { memory: limits.memory ?? 0 }),
    ...(rule.podPidsLimit !== undefined && rule.podPidsLimit > 0 && { pidsLimit: rule.podPidsLimit }),
    hugePageLimit: hugePageLimits(requests),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

function unifiedOf(amounts: PodAmounts, policy: MemoryReservationPolicy | undefined): Record<string, string> {
  const request = amounts.requests.memory ?? 0;
  return policy === undefined || request <= 0 ? {} : protectedMemory(amounts.qosClass, request, policy);
}

/**
 * Whether every container has a limit above zero, or the pod itself has one. An init container runs with the sidecars
 * before it: the kubelet adds their limits to its own (AggregateContainerLimits).
 */
function limitsDeclared(pod: Pod, resource: "cpu" | "memory", podLevel: boolean): boolean {
  if (podLevel && isAboveZero(resource, podLevelResources(pod)?.limits?.[resource])) return true;
  const hasLimit = ({ resources }: Container): boolean => isAboveZero(resource, resources?.limits?.[resource]);
  const { initContainers = [], containers } = pod.spec;
  const first = initContainers.findIndex((init) => init.restartPolicy === "Always" && hasLimit(init));
  return [...(first < 0 ? initContainers : initContainers.slice(0, first)), ...containers].every(hasLimit);
}

function isAboveZero(resource: string, text: string | undefined): boolean {
  return text !== undefined && amountOf(resource, parseQuantity(String(text))) > 0;
}

/** Claims add to requests always, to limits only where there is one; what the pod itself names is left as it is. */
function addClaims(
  pod: Pod,
  podLevel: boolean,
  requests: Record<string, number>,
  limits: Record<string, number>,
): void {
  const own = podLevel ? podLevelResources(pod) : undefined;
  const claimed: ResourceList = claimedByPod(pod);
  for (const [resource, quantity] of claimed) {
    const amount = amountOf(resource, quantity);
    if (own?.requests?.[resource] === undefined) requests[resource] = (requests[resource] ?? 0) + amount;
    const limit = limits[resource] ?? 0;
    if (limit > 0 && own?.limits?.[resource] === undefined) limits[resource] = limit + amount;
  }
}

// The pod's resources for the runtime (pkg/kubelet/kuberuntime/kuberuntime_sandbox_linux.go).

interface SandboxResources {
  /** Of all containers, without overhead. */
  readonly resources: LinuxContainerResources;
  /** Of `spec.overhead`, where there is one. */
  readonly overhead?: LinuxContainerResources;
}

export function sandboxResources(pod: Pod, rule: CpuAndMemoryRule & RuleOptions): SandboxResources {
  const podLevel = { podLevelResources: rule.podLevelResources ?? true };
  const { overhead, ...spec } = pod.spec;
  const bare: Pod = overhead === undefined ? pod : { ...pod, spec };
  const requests = podRequests(bare, podLevel);
  const limits = podLimits(bare, podLevel);
  const resources = resourcesOf(
    { cpuRequest: requests.cpu, cpuLimit: limits.cpu ?? 0, memoryLimit: limits.memory ?? 0 },
    rule,
  );
  if (overhead === undefined) return { resources };
  const own = parseList(overhead);
  const amount = (resource: string): number => {
    const quantity = own.get(resource);
    return quantity === undefined ? 0 : amountOf(resource, quantity);
  };
  const cpu = amount("cpu");
  return { resources, overhead: resourcesOf({ cpuRequest: cpu, cpuLimit: cpu, memoryLimit: amount("memory") }, rule) };
}

/** Zeros say nothing in CRI. */
function resourcesOf(input: CpuAndMemoryInput, rule: CpuAndMemoryRule): LinuxContainerResources {
  const { unified, ...amounts } = cpuAndMemory(input, rule);
  const nonZero = Object.entries(amounts).filter(([, value]) => value !== 0);
  return { ...(Object.fromEntries(nonZero) as LinuxContainerResources), ...(unified && { unified }) };
}
