/** The signals that a node's statistics give (pkg/kubelet/eviction makeSignalObservations). Pure. */

import {
  type FileSystemStatistics,
  type MemoryStatistics,
  type NodeStatistics,
  type ProcessLimitStatistics,
  plausible,
  podsCgroup,
} from "./observed-statistics.js";
import { type Signal, STALL_CAPACITY } from "./signals.js";

/** Bytes, inodes or processes; of stalls hundredths of a percent of the time without any. */
export interface Observation {
  /** May be negative: more processes than there may be. */
  readonly available: number;
  readonly capacity: number;
  /** Milliseconds since the epoch; undefined when the statistics carry no time. */
  readonly time?: number;
}

/** The year 1, which Go writes for a time that was never set. */
const GO_ZERO_TIME = Date.parse("0001-01-01T00:00:00Z");

/** Signals without numbers are missing; the other signals still work. */
export type Observations = ReadonlyMap<Signal, Observation>;

export function observationsOf(node: NodeStatistics): Observations {
  const { memory, fs, runtime, rlimit, stalled } = node;
  const all: readonly (readonly [Signal, Observation | undefined])[] = [
    ["memory.available", memoryLeft(memory)],
    ["allocatableMemory.available", memoryLeft(podsCgroup(node)?.memory)],
    ...disk("nodefs", fs),
    ...disk("imagefs", runtime?.imageFs),
    ...disk("containerfs", runtime?.containerFs),
    ["pid.available", processesLeft(rlimit)],
    ...[...(stalled?.shares ?? [])].map(
      ([signal, share]) => [signal, observation(STALL_CAPACITY - share, STALL_CAPACITY, stalled?.time)] as const,
    ),
  ];
  return new Map(all.flatMap(([signal, seen]) => (seen === undefined ? [] : [[signal, seen] as const])));
}

function memoryLeft(memory: MemoryStatistics | undefined): Observation | undefined {
  const [available, used] = [plausible(memory?.availableBytes), plausible(memory?.workingSetBytes)];
  if (available === undefined || used === undefined) return undefined;
  return observation(available, available + used, memory?.time);
}

function processesLeft(rlimit: ProcessLimitStatistics | undefined): Observation | undefined {
  const [most, now] = [plausible(rlimit?.maxpid), plausible(rlimit?.curproc)];
  return most === undefined || now === undefined ? undefined : observation(most - now, most, rlimit?.time);
}

function disk(
  name: "nodefs" | "imagefs" | "containerfs",
  fs: FileSystemStatistics | undefined,
): readonly (readonly [Signal, Observation | undefined])[] {
  const of = (left?: number, all?: number): Observation | undefined => {
    const [available, capacity] = [plausible(left), plausible(all)];
    return available === undefined || capacity === undefined ? undefined : observation(available, capacity, fs?.time);
  };
  return [
    [`${name}.available`, of(fs?.availableBytes, fs?.capacityBytes)],
    [`${name}.inodesFree`, of(fs?.inodesFree, fs?.inodes)],
  ];
}

function observation(available: number, capacity: number, time: string | undefined): Observation {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return { available, capacity, ...(at > GO_ZERO_TIME ? { time: at } : {}) };
}
