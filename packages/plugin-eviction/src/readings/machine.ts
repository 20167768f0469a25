/** What the machine itself says: memory, the cgroup of all pods, processes. Pure readers of kernel files. */
import {
  type CgroupVersion,
  cgroupFolder,
  meminfoBytes,
  processCount,
  processLimit,
  readCgroupLayout,
} from "@hooklet/core/rules";
import { type MemoryStatistics, type NodeStatistics, PODS_CONTAINER } from "../statistics.js";

/** The part of the host that is read here. */
export interface KernelReader {
  /** Undefined when it is not there. */
  read(path: string): string | undefined;
  /** Names of the folders in a folder; none when it is not there. */
  directories(path: string): readonly string[];
}

/** Its files alone: one by one, or by descriptors that stay open. */
export type FileReader = Pick<KernelReader, "read">;

/** Where the memory of cgroups is counted. */
export interface MemoryHierarchy {
  readonly version: CgroupVersion;
  /** The folder of the root cgroup. */
  readonly root: string;
}

/** By the machine's mounts; undefined where none counts memory. */
export function memoryHierarchy(kernel: FileReader): MemoryHierarchy | undefined {
  const layout = readCgroupLayout(kernel.read("/proc/self/mountinfo") ?? "");
  const root = layout && cgroupFolder(layout, "memory", "/");
  return layout === undefined || root === undefined ? undefined : { version: layout.version, root };
}

/** More than any machine has: cgroup v1 shows such a number where there is no limit. */
const NO_LIMIT = 2 ** 60;

/** The number after a word of memory.stat. */
function statValue(text: string, word: string): number | undefined {
  const value = new RegExp(`^${word} (\\d+)$`, "m").exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/**
 * Memory of the whole node as the kubelet reckons it: what the root cgroup uses less inactive page cache; on v2 anonymous memory
 * and page cache. Undefined when the kernel does not tell.
 */
export function nodeMemory(
  kernel: FileReader,
  { version, root }: MemoryHierarchy,
  time: string,
): MemoryStatistics | undefined {
  const total = meminfoBytes(kernel.read("/proc/meminfo") ?? "", "MemTotal");
  const used = version === "v2" ? rootV2(kernel, root) : cgroupV1(kernel, root);
  if (total === undefined || used === undefined) return undefined;
  return { time, ...used, availableBytes: Math.max(0, total - used.workingSetBytes) };
}

/** The kernel's own estimate of what can be had without swapping (MemAvailable): page cache and huge pages reckoned rightly. */
export function availableMemory(kernel: FileReader, time: string): MemoryStatistics | undefined {
  const text = kernel.read("/proc/meminfo") ?? "";
  const [total, availableBytes] = [meminfoBytes(text, "MemTotal"), meminfoBytes(text, "MemAvailable")];
  if (total === undefined || availableBytes === undefined) return undefined;
  const used = total - availableBytes;
  return { time, availableBytes, workingSetBytes: used, usageBytes: used };
}

/** Memory of the cgroup of all pods, against its limit; without a limit nothing is available, so there is no signal. */
export function podsMemory(
  kernel: FileReader,
  { version, root }: MemoryHierarchy,
  cgroup: string,
  time: string,
): MemoryStatistics | undefined {
  const v2 = version === "v2";
  const folder = `${root}${cgroup}`;
  const used = v2 ? cgroupV2(kernel, folder) : cgroupV1(kernel, folder);
  if (used === undefined) return undefined;
  const limit = limitOf(kernel.read(`${folder}/${v2 ? "memory.max" : "memory.limit_in_bytes"}`));
  if (limit === undefined) return { time, ...used };
  return { time, ...used, availableBytes: Math.max(0, limit - used.workingSetBytes) };
}

/** Where the cgroup of all pods is, as a path below the hierarchies; undefined when there is none. @param told empty: the usual places */
export function findPodsCgroup(kernel: FileReader, { root }: MemoryHierarchy, told = ""): string | undefined {
  return (told === "" ? ["/kubepods.slice", "/kubepods"] : [told]).find(
    (path) => kernel.read(`${root}${path}/cgroup.procs`) !== undefined,
  );
}

/** Which memory is read, and where. */
export interface MemoryReading {
  readonly memorySource: "working-set" | "mem-available";
  /** Empty: the usual places. */
  readonly podsCgroup: string;
  /** Undefined where no cgroups count memory. */
  readonly hierarchy: MemoryHierarchy | undefined;
}

/** The signals of memory alone, cheap enough to be read many times a second. */
export function memoryOnly(
  kernel: FileReader,
  { memorySource, podsCgroup, hierarchy }: MemoryReading,
  time: string,
): NodeStatistics {
  const memory =
    memorySource === "working-set" ? hierarchy && nodeMemory(kernel, hierarchy, time) : availableMemory(kernel, time);
  const pods = hierarchy && ofPods(kernel, hierarchy, podsCgroup, time);
  return {
    ...(memory === undefined ? {} : { memory }),
    ...(pods === undefined ? {} : { systemContainers: [{ name: PODS_CONTAINER, memory: pods }] }),
  };
}

function ofPods(
  kernel: FileReader,
  hierarchy: MemoryHierarchy,
  told: string,
  time: string,
): MemoryStatistics | undefined {
  const cgroup = findPodsCgroup(kernel, hierarchy, told);
  return cgroup === undefined ? undefined : podsMemory(kernel, hierarchy, cgroup, time);
}

/** How many processes and threads there may be and are. */
export function processLimits(
  kernel: FileReader,
  time: string,
): { readonly time: string; readonly maxpid: number; readonly curproc: number } | undefined {
  const [maxpid, curproc] = [processLimit(kernel), processCount(kernel)];
  return maxpid === undefined || curproc === undefined ? undefined : { time, maxpid, curproc };
}

interface Used {
  readonly usageBytes: number;
  readonly workingSetBytes: number;
}

function usedOf(usage: number | undefined, inactive: number | undefined): Used | undefined {
  if (usage === undefined) return undefined;
  return { usageBytes: usage, workingSetBytes: Math.max(0, usage - (inactive ?? 0)) };
}

function rootV2(kernel: FileReader, root: string): Used | undefined {
  const stat = kernel.read(`${root}/memory.stat`) ?? "";
  const [anonymous, file] = [statValue(stat, "anon"), statValue(stat, "file")];
  if (anonymous === undefined || file === undefined) return undefined;
  return usedOf(anonymous + file, statValue(stat, "inactive_file"));
}

function cgroupV2(kernel: FileReader, folder: string): Used | undefined {
  const stat = kernel.read(`${folder}/memory.stat`) ?? "";
  return usedOf(amountIn(kernel.read(`${folder}/memory.current`)), statValue(stat, "inactive_file"));
}

function cgroupV1(kernel: FileReader, folder: string): Used | undefined {
  const stat = kernel.read(`${folder}/memory.stat`) ?? "";
  return usedOf(amountIn(kernel.read(`${folder}/memory.usage_in_bytes`)), statValue(stat, "total_inactive_file"));
}

/** `max` of v2 and the huge number of v1 are no limit. */
function limitOf(text: string | undefined): number | undefined {
  const limit = amountIn(text);
  return limit === undefined || limit >= NO_LIMIT ? undefined : limit;
}

/** The number that a file holds; undefined for anything else, an empty file too. */
function amountIn(text = ""): number | undefined {
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}
