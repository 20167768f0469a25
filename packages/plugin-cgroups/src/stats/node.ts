/** What the node as a whole uses. */
import { type NodeSummary, rfc3339 } from "@hooklet/core";
import { meminfoBytes, processCount } from "@hooklet/core/rules";
import type { CgroupLayout } from "../host/hierarchies.js";
import type { CgroupFiles } from "../host/port.js";
import type { CpuTimes } from "./cpu-time.js";
import type { NetworkUsage } from "./network.js";
import { commonOf, networkOf } from "./summary.js";
import { type CgroupUsage, readUsage } from "./usage.js";

/** The root cgroup; on v2, where that has no memory files of its own, with what /proc/meminfo says. */
export function readNodeUsage(
  files: Pick<CgroupFiles, "read">,
  layout: CgroupLayout,
  now: number,
): CgroupUsage | undefined {
  const root = readUsage(files, layout, "/", now);
  if (root === undefined || root.memory.usageBytes !== undefined) return root;
  const meminfo = files.read("/proc/meminfo") ?? "";
  const [total, free, inactive] = ["MemTotal", "MemFree", "Inactive(file)"].map((key) => meminfoBytes(meminfo, key));
  if (total === undefined || free === undefined) return root;
  const usageBytes = total - free;
  const workingSetBytes = Math.max(0, usageBytes - (inactive ?? 0));
  const swapBytes = (meminfoBytes(meminfo, "SwapTotal") ?? 0) - (meminfoBytes(meminfo, "SwapFree") ?? 0);
  return { ...root, memory: { ...root.memory, usageBytes, workingSetBytes, swapBytes } };
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
  files: Pick<CgroupFiles, "read">,
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
export function bootTime(files: Pick<CgroupFiles, "read">): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(files.read("/proc/stat") ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
