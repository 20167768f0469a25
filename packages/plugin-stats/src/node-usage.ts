/** What the node as a whole uses. */

import {
  type CgroupLayout,
  type CgroupUsage,
  type KernelRead,
  type MemoryUsage,
  meminfoBytes,
  processCount,
  readMemoryUsage,
  readUsage,
} from "@hooklet/core/rules";
import type { NodeMemory, NodeSummary } from "@hooklet/core/subsystem";
import { rfc3339 } from "@hooklet/utils";
import type { NetworkUsage } from "./network.js";
import type { CpuTimes } from "./rates.js";
import { commonOf, memoryOf, networkOf, PODS_CONTAINER } from "./summary.js";

/** The root cgroup. The machine's swap is in /proc/meminfo alone where the root has no memory files (v2). */
export function readNodeUsage(files: KernelRead, layout: CgroupLayout, now: number): CgroupUsage | undefined {
  const root = readUsage(files, layout, "/", now);
  return root === undefined || layout.version === "v1" ? root : { ...root, memory: withSwap(files, root.memory) };
}

function withSwap(files: KernelRead, memory: MemoryUsage): MemoryUsage {
  const meminfo = files.read("/proc/meminfo") ?? "";
  const [total = 0, free = 0] = [meminfoBytes(meminfo, "SwapTotal"), meminfoBytes(meminfo, "SwapFree")];
  return { ...memory, swapBytes: total - free };
}

/** Memory of the node, and of the cgroup of all pods: a few small files, so that it can be read many times a second. */
export function nodeMemory(
  files: KernelRead,
  layout: CgroupLayout,
  podsCgroup: string | undefined,
  now: number,
): NodeMemory {
  const total = meminfoBytes(files.read("/proc/meminfo") ?? "", "MemTotal");
  const node = memoryOf(now, readMemoryUsage(files, layout, "/"), total);
  if (podsCgroup === undefined) return { memory: node };
  const pods = memoryOf(now, readMemoryUsage(files, layout, podsCgroup), undefined);
  return { memory: node, systemContainers: [{ name: PODS_CONTAINER, startTime: rfc3339(now), memory: pods }] };
}

export interface NodeSummaryInput {
  readonly usage: CgroupUsage | undefined;
  readonly before: CpuTimes | undefined;
  /** Bytes of memory. */
  readonly capacityBytes: number;
  readonly nodeName: string;
  /** Milliseconds since the epoch: when the machine started. */
  readonly startedAt: number;
  readonly network: NetworkUsage | undefined;
}

export function nodeSummary(
  files: KernelRead,
  input: NodeSummaryInput,
  now: number,
  pidLimit: number | undefined,
): NodeSummary {
  const { usage, before, capacityBytes, nodeName, startedAt, network } = input;
  const processes = processCount(files);
  const meminfo = files.read("/proc/meminfo") ?? "";
  const swapTotal = meminfoBytes(meminfo, "SwapTotal") ?? 0;
  const swapFree = meminfoBytes(meminfo, "SwapFree") ?? 0;
  const time = rfc3339(now);
  return {
    nodeName,
    startTime: rfc3339(startedAt),
    ...(usage && commonOf(usage, before, capacityBytes)),
    ...(network !== undefined && { network: networkOf(network) }),
    rlimit: {
      time,
      ...(pidLimit !== undefined && { maxpid: pidLimit }),
      ...(processes !== undefined && { curproc: processes }),
    },
    swap: { time, swapAvailableBytes: swapFree, swapUsageBytes: swapTotal - swapFree },
  };
}

/** Milliseconds since the epoch at which the machine started; undefined when the kernel does not tell. */
export function bootTime(files: KernelRead): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(files.read("/proc/stat") ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
