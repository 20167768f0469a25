/** Settings of the QoS cgroups (pkg/kubelet/cm/qos_container_manager_linux.go). Pure. */
import { NodeAgentError, type Pod } from "@hooklet/core";
import type { MemoryReservationPolicy } from "./memory-qos.js";
import { type PodAmounts, podAmounts } from "./pod.js";
import { MIN_SHARES, milliCpuToShares, type RuleOptions } from "./resource-config.js";

/** What the pods of a node ask for, by class. */
export interface QosSums {
  readonly burstableMilliCpu: number;
  /** Bytes. */
  readonly burstableMemory: number;
  /** Bytes. */
  readonly guaranteedMemory: number;
}

export function qosSums(pods: readonly Pod[], options: RuleOptions = {}): QosSums {
  return sumOf(pods.map((pod) => podAmounts(pod, options)));
}

export function sumOf(amounts: readonly Pick<PodAmounts, "qosClass" | "requests">[]): QosSums {
  let [burstableMilliCpu, burstableMemory, guaranteedMemory] = [0, 0, 0];
  for (const { qosClass, requests } of amounts) {
    if (qosClass === "Burstable") {
      burstableMilliCpu += requests.cpu ?? 0;
      burstableMemory += requests.memory ?? 0;
    } else if (qosClass === "Guaranteed") guaranteedMemory += requests.memory ?? 0;
  }
  return { burstableMilliCpu, burstableMemory, guaranteedMemory };
}

/** Burstable pods share what they ask for together; BestEffort pods get the least there is. */
export function qosCpuShares({ burstableMilliCpu }: Pick<QosSums, "burstableMilliCpu">): {
  readonly burstable: number;
  readonly bestEffort: number;
} {
  return { burstable: milliCpuToShares(burstableMilliCpu), bestEffort: MIN_SHARES };
}

export interface MemoryReserveInput extends Pick<QosSums, "burstableMemory" | "guaranteedMemory"> {
  /** Bytes; undefined or 0: unknown, no limit. */
  readonly allocatableMemory: number | undefined;
  /** 0 to 100. */
  readonly percent: number;
}

/** Memory limits that keep a share of the better classes' requests free; not clamped at 0, as in the kubelet. */
export function qosMemoryLimits(
  input: MemoryReserveInput,
): { readonly burstable: number; readonly bestEffort: number } | undefined {
  const { allocatableMemory, percent, burstableMemory, guaranteedMemory } = input;
  if (!allocatableMemory) return undefined;
  const burstable = allocatableMemory - percentOf(guaranteedMemory, percent);
  return { burstable, bestEffort: burstable - percentOf(burstableMemory, percent) };
}

/** Exact where a float would not be: memory of terabytes times a hundred. */
function percentOf(bytes: number, percent: number): number {
  return Number((BigInt(Math.trunc(bytes)) * BigInt(percent)) / 100n);
}

/** cgroup v2 files of `kubepods` and `burstable` under MemoryQoS. Before 1.36 a sum of 0 was not written. */
export function qosProtectedMemory(
  { burstableMemory, guaranteedMemory }: Pick<QosSums, "burstableMemory" | "guaranteedMemory">,
  policy: MemoryReservationPolicy,
): { readonly kubepods: Readonly<Record<string, string>>; readonly burstable: Readonly<Record<string, string>> } {
  const all = burstableMemory + guaranteedMemory;
  if (policy === "before-1.36") {
    return {
      kubepods: all > 0 ? { "memory.min": String(all) } : {},
      burstable: burstableMemory > 0 ? { "memory.min": String(burstableMemory) } : {},
    };
  }
  const none = policy === "None";
  return {
    kubepods: { "memory.min": none ? "0" : String(all) },
    burstable: { "memory.low": none ? "0" : String(burstableMemory) },
  };
}

/** `qosReserved` as numbers: only memory can be reserved. @throws NodeAgentError with the kubelet's message */
export function parseQosReserved(settings: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const reserved: Record<string, number> = {};
  for (const [resource, text] of Object.entries(settings)) {
    if (resource !== "memory")
      throw new NodeAgentError("INVALID", `cannot reserve ${JSON.stringify(resource)} resource`);
    reserved[resource] = parsePercentage(resource, text);
  }
  return reserved;
}

function parsePercentage(resource: string, text: string): number {
  const fault = (why: string) =>
    new NodeAgentError(
      "INVALID",
      `failed to parse percentage ${JSON.stringify(text)} for "${resource}" resource: ${why}`,
    );
  if (!text.endsWith("%")) throw fault(`percentage expected, got '${text}'`);
  const digits = text.replace(/%+$/, "");
  if (!/^[+-]?\d+$/.test(digits)) throw fault(`invalid number in percentage '${text}'`);
  const percent = Number(digits);
  if (percent < 0 || percent > 100) throw fault("percentage must be between 0 and 100");
  return percent;
}
