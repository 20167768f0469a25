/** Settings of a container, as the runtime gets them (pkg/kubelet/kuberuntime/kuberuntime_container_linux.go). Pure. */

import { type Container, NodeAgentError, type Pod, type QosClass } from "@hooklet/core";
import {
  amountOf,
  isCriticalPod,
  parseQuantity,
  podLevelResources,
  qosClass,
  quantityValue,
} from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { containerHugePageLimits } from "./huge-pages.js";
import { type MemoryReservationPolicy, memoryHigh, protectedMemory } from "./memory-qos.js";
import { oomScoreAdjust } from "./oom-score.js";
import { DEFAULT_PERIOD, milliCpuToQuota, milliCpuToShares, type RuleOptions } from "./resource-config.js";

/** What of CRI's resources follows from cpu and memory alone. */
export interface CpuAndMemory {
  readonly cpuShares: number;
  /** 0 = no limit, -1 = no limit although there is one in the manifest. */
  readonly cpuQuota: number;
  readonly cpuPeriod: number;
  readonly memoryLimitInBytes: number;
  readonly unified?: Readonly<Record<string, string>>;
}

export interface CpuAndMemoryInput {
  /** Milli-cores; undefined = not named, so the limit counts. An explicit 0 stays 0. */
  readonly cpuRequest: number | undefined;
  /** Milli-cores; 0 = none. */
  readonly cpuLimit: number;
  /** Bytes; 0 = none. */
  readonly memoryLimit: number;
}

export interface CpuAndMemoryRule {
  readonly cgroupVersion: "v1" | "v2";
  readonly cpuCFSQuota: boolean;
  /** Microseconds. */
  readonly cpuPeriod?: number;
  /** The container has exclusive CPUs. */
  readonly disableCpuQuota?: boolean;
  /** False: an OOM kill of one process kills the whole container (v2). */
  readonly singleProcessOOMKill: boolean;
}

export function cpuAndMemory(input: CpuAndMemoryInput, rule: CpuAndMemoryRule): CpuAndMemory {
  const { cpuRequest, cpuLimit, memoryLimit } = input;
  const cpuPeriod = rule.cpuPeriod || DEFAULT_PERIOD;
  const request = cpuRequest === undefined && cpuLimit > 0 ? cpuLimit : (cpuRequest ?? 0);
  const quota = rule.disableCpuQuota ? -1 : milliCpuToQuota(cpuLimit, cpuPeriod);
  const groupKill = rule.cgroupVersion === "v2" && !rule.singleProcessOOMKill;
  return {
    cpuShares: milliCpuToShares(request),
    cpuQuota: rule.cpuCFSQuota ? quota : 0,
    cpuPeriod: rule.cpuCFSQuota ? cpuPeriod : 0,
    memoryLimitInBytes: memoryLimit,
    ...(groupKill && { unified: { "memory.oom.group": "1" } }),
  };
}

/** Requests and limits of a container; without its own limit the pod's counts. */
export function containerAmounts(pod: Pod, container: Container, options: RuleOptions = {}): CpuAndMemoryInput {
  const { requests, limits } = container.resources ?? {};
  const own = options.podLevelResources === false ? undefined : podLevelResources(pod)?.limits;
  const limitOf = (resource: string): number =>
    amount(resource, limits?.[resource]) || amount(resource, own?.[resource]);
  return {
    cpuRequest: requests?.cpu === undefined ? undefined : amount("cpu", requests.cpu),
    cpuLimit: limitOf("cpu"),
    memoryLimit: limitOf("memory"),
  };
}

export interface ContainerMemoryRule extends RuleOptions {
  readonly policy: MemoryReservationPolicy;
  /** `memoryThrottlingFactor`; undefined = no memory.high. */
  readonly factor: number | undefined;
  /** Bytes. */
  readonly pageSize: number;
  /** Bytes. */
  readonly nodeAllocatableMemory: number;
}

/** The container's memory.min, memory.low and memory.high (gate MemoryQoS on cgroup v2). */
export function containerMemoryQos(pod: Pod, container: Container, rule: ContainerMemoryRule): Record<string, string> {
  const request = amount("memory", container.resources?.requests?.memory);
  const own = containerAmounts(pod, container, rule).memoryLimit;
  const limit = own || rule.nodeAllocatableMemory;
  const quality: QosClass = qosClass(pod, { podLevelResources: rule.podLevelResources ?? true });
  const protection = request > 0 ? protectedMemory(quality, request, rule.policy) : {};
  // Kubelets before 1.36 compare the request with the container's own limit: 0 and 0 are equal.
  const equal = rule.policy === "before-1.36" && request === own;
  if (rule.factor === undefined || equal) return protection;
  const high = memoryHigh({ request, limit, factor: rule.factor, pageSize: rule.pageSize });
  return high === undefined ? protection : { ...protection, "memory.high": String(high) };
}

export interface ContainerRule extends RuleOptions, CpuAndMemoryRule {
  /** Bytes of the machine: what oom scores are a share of. */
  readonly memoryCapacity: number;
  /** `2MB`, ...: sizes that the machine has and cgroups can limit. */
  readonly pageSizes: readonly string[];
  readonly swap: Omit<SwapRule, "cgroupVersion" | "memoryCapacity">;
  /** Undefined: the gate MemoryQoS is off. */
  readonly memoryQos?: ContainerMemoryRule | undefined;
}

/** The Linux resources of one container for the runtime. */
export function linuxContainerResources(pod: Pod, container: Container, rule: ContainerRule): LinuxContainerResources {
  const { unified: groupKill, ...limits } = cpuAndMemory(containerAmounts(pod, container, rule), rule);
  const { cgroupVersion, memoryCapacity } = rule;
  const v2 = cgroupVersion === "v2";
  const swap = containerSwap(pod, container, { ...rule.swap, ...ruleOptions(rule), cgroupVersion, memoryCapacity });
  const unified: Record<string, string> = {
    ...groupKill,
    ...(v2 && rule.memoryQos && containerMemoryQos(pod, container, rule.memoryQos)),
    ...(v2 && swap !== undefined && { "memory.swap.max": String(swap) }),
  };
  return {
    ...limits,
    oomScoreAdj: oomScoreAdjust(pod, container, memoryCapacity, rule),
    hugepageLimits: containerHugePageLimits(container.resources?.limits, rule.pageSizes),
    // On v1 the limit is that of memory and swap together: no swap is the memory limit itself.
    ...(!v2 && swap !== undefined && { memorySwapLimitInBytes: limits.memoryLimitInBytes }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

function ruleOptions({ podLevelResources: podLevel, draNodeAllocatableResources: claims }: RuleOptions): RuleOptions {
  return {
    ...(podLevel !== undefined && { podLevelResources: podLevel }),
    ...(claims !== undefined && { draNodeAllocatableResources: claims }),
  };
}

function amount(resource: string, text: string | undefined): number {
  return text === undefined ? 0 : amountOf(resource, parseQuantity(String(text)));
}

// Swap of containers (KEP-2400, pkg/kubelet/kuberuntime/kuberuntime_container_linux.go).

export interface SwapRule extends RuleOptions {
  readonly cgroupVersion: "v1" | "v2";
  /** Gate NodeSwap. */
  readonly nodeSwap: boolean;
  /** `memorySwap.swapBehavior`; "" is NoSwap. */
  readonly swapBehavior: "" | "NoSwap" | "LimitedSwap";
  /** The kernel limits swap by cgroup. */
  readonly swapControllerAvailable: boolean;
  /** Bytes. */
  readonly memoryCapacity: number;
  /** Bytes. */
  readonly swapCapacity: number;
}

/**
 * Bytes of swap that a container may use. Undefined: not set, since the kernel cannot limit it. A share only for
 * Burstable containers whose memory request differs from their limit.
 */
export function containerSwap(pod: Pod, container: Container, rule: SwapRule): number | undefined {
  if (!rule.swapControllerAvailable) return undefined;
  const limited = rule.nodeSwap && rule.cgroupVersion === "v2" && rule.swapBehavior === "LimitedSwap";
  if (!limited || isCriticalPod(pod)) return 0;
  if (qosClass(pod, { podLevelResources: rule.podLevelResources ?? true }) !== "Burstable") return 0;
  const request = bytesOf(container.resources?.requests?.memory);
  const limit = bytesOf(container.resources?.limits?.memory);
  if (request === 0 || request === limit || request > rule.memoryCapacity) return 0;
  return swapShare(request, rule.memoryCapacity, rule.swapCapacity);
}

/**
 * As much of the machine's swap as the request is of its memory.
 * @throws NodeAgentError when the machine's memory is unknown or smaller than the request
 */
export function swapShare(request: number, memoryCapacity: number, swapCapacity: number): number {
  if (memoryCapacity <= 0) throw new NodeAgentError("INVALID", "total node memory is 0");
  if (request > memoryCapacity) {
    const text = `container request ${request} is larger than total node memory ${memoryCapacity}`;
    throw new NodeAgentError("INVALID", text);
  }
  return Math.trunc((request / memoryCapacity) * swapCapacity);
}

function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : quantityValue(parseQuantity(String(text)));
}

// CPU burst: what a pod did not use of its quota it may use later (own; the kernel's CFS burst).

/** On pods: how much of one period's quota may be saved up, `0%` to `100%`. */
export const BURST_ANNOTATION = "cgroups.hooklet.dev/cpu-burst";

/** Why the annotation cannot be heeded; undefined: it can, or there is none. */
export function burstFault(pod: Pod): string | undefined {
  const text = annotationOf(pod);
  if (text === undefined || percentOf(text) !== undefined) return undefined;
  return `annotation ${BURST_ANNOTATION}: expected "0%" to "100%", found ${JSON.stringify(text)}`;
}

/** Percent; 0 without the annotation, and for one that cannot be heeded. */
export function burstPercent(pod: Pod): number {
  return percentOf(annotationOf(pod) ?? "") ?? 0;
}

function annotationOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[BURST_ANNOTATION];
}

function percentOf(text: string): number | undefined {
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent);
}

/** Microseconds of a quota of so many; undefined where there is none to save up from. The kernel takes no more than the quota itself. */
export function cpuBurst(pod: Pod, quota: number | undefined): number | undefined {
  return quota === undefined || quota <= 0 ? undefined : Math.floor((quota * burstPercent(pod)) / 100);
}
