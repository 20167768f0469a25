/** What the adapters of eviction share: thresholds, statistics and pods as the vectors write them. */
import type { Pod } from "@hooklet/core";
import { formatQuantity, parseQuantity } from "@hooklet/core/rules";
import {
  type DiskLayout,
  type EvictionThreshold,
  isSignal,
  type NodeStatistics,
  type Observations,
  type PodStatistics,
  type Signal,
  type ThresholdValue,
} from "@hooklet/plugin-eviction/internal";
import { type RawPod, toPod } from "./pods.js";

/** Fails by name on a key that the adapter would not heed. */
export function only<T extends object>(where: string, value: T, ...keys: readonly string[]): T {
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`${where}: the adapter does not know the key ${unknown}`);
  return value;
}

export interface RawValue {
  readonly quantity?: string;
  readonly percentage?: number;
}

export interface RawThreshold {
  readonly signal: string;
  readonly operator?: string;
  readonly value: RawValue;
  readonly gracePeriodSeconds: number;
  readonly minReclaim?: RawValue;
}

export function toValue(raw: RawValue): ThresholdValue {
  const { quantity, percentage = 0 } = only("value", raw, "quantity", "percentage");
  // The kubelet holds shares as 32-bit floats; the vectors write them short.
  return quantity === undefined ? { percentage: Math.fround(percentage) } : { quantity: parseQuantity(quantity) };
}

export function toThreshold(raw: RawThreshold): EvictionThreshold {
  const known = only("threshold", raw, "signal", "operator", "value", "gracePeriodSeconds", "minReclaim");
  const { signal, operator = "LessThan", value, gracePeriodSeconds, minReclaim } = known;
  if (operator !== "LessThan") throw new Error(`operator ${operator} is not known`);
  return {
    signal: signalOf(signal),
    value: toValue(value),
    gracePeriodSeconds,
    ...(minReclaim === undefined ? {} : { minReclaim: toValue(minReclaim) }),
  };
}

export function signalOf(name: string): Signal {
  if (!isSignal(name)) throw new Error(`signal ${name} is not known`);
  return name;
}

function fromValue(value: ThresholdValue): RawValue {
  if ("quantity" in value) return { quantity: formatQuantity(value.quantity) };
  return { percentage: Number(value.percentage.toPrecision(6)) };
}

export function fromThreshold({ signal, value, gracePeriodSeconds, minReclaim }: EvictionThreshold): RawThreshold {
  return {
    signal,
    operator: "LessThan",
    value: fromValue(value),
    gracePeriodSeconds,
    ...(minReclaim === undefined ? {} : { minReclaim: fromValue(minReclaim) }),
  };
}

/** Thresholds of an answer or an expectation, amounts in canonical form. */
export function canonicalThresholds(thresholds: readonly RawThreshold[]): readonly RawThreshold[] {
  return thresholds.map((one) => fromThreshold(toThreshold(one)));
}

export interface RawObservation {
  readonly available?: number;
  readonly capacity?: number;
  /** Seconds. */
  readonly time?: number;
}

export function toObservations(raw: Readonly<Record<string, RawObservation>>): Observations {
  return new Map(
    Object.entries(raw).map(([signal, one]) => {
      const { available = 0, capacity = 0, time } = only("observation", one, "available", "capacity", "time");
      return [signalOf(signal), { available, capacity, ...(time === undefined ? {} : { time: time * 1000 }) }];
    }),
  );
}

const memory = ["time", "availableBytes", "usageBytes", "workingSetBytes"];
const fs = ["time", "availableBytes", "capacityBytes", "usedBytes", "inodesFree", "inodes", "inodesUsed"];

/** Statistics are in the shape that hooklet reads; only their keys are compared. */
export function checkedNode(node: NodeStatistics): NodeStatistics {
  only("node", node, "memory", "systemContainers", "fs", "runtime", "rlimit");
  only("node.memory", node.memory ?? {}, ...memory);
  for (const one of node.systemContainers ?? []) {
    only("system container", one, "name", "memory");
    only("system container.memory", one.memory ?? {}, ...memory);
  }
  only("node.fs", node.fs ?? {}, ...fs);
  only("node.runtime", node.runtime ?? {}, "imageFs", "containerFs");
  only("node.runtime.imageFs", node.runtime?.imageFs ?? {}, ...fs);
  only("node.runtime.containerFs", node.runtime?.containerFs ?? {}, ...fs);
  only("node.rlimit", node.rlimit ?? {}, "time", "maxpid", "curproc");
  return node;
}

export function checkedPodStatistics(pod: PodStatistics): PodStatistics {
  only("podStats", pod, "podRef", "containers", "memory", "volume", "ephemeral-storage", "process_stats");
  only("podStats.podRef", pod.podRef, "name", "namespace", "uid");
  only("podStats.memory", pod.memory ?? {}, ...memory);
  only("podStats.ephemeral-storage", pod["ephemeral-storage"] ?? {}, ...fs);
  only("podStats.process_stats", pod.process_stats ?? {}, "process_count");
  for (const volume of pod.volume ?? []) only("volume", volume, "name", ...fs);
  for (const container of pod.containers ?? []) {
    only("container", container, "name", "memory", "rootfs", "logs");
    only("container.memory", container.memory ?? {}, ...memory);
    only("container.rootfs", container.rootfs ?? {}, ...fs);
    only("container.logs", container.logs ?? {}, ...fs);
  }
  return pod;
}

export interface RawLayout {
  readonly dedicatedImageFs: boolean;
  readonly splitContainerImageFs: boolean;
}

export function toLayout({ dedicatedImageFs, splitContainerImageFs }: RawLayout): DiskLayout {
  return { dedicatedImageFs, splitContainerImageFs };
}

export function toPods(raw: readonly RawPod[]): readonly Pod[] {
  return raw.map(toPod);
}
