/** One pass over the whole tree: the node's pods, the QoS classes, each pod and each container in it. */
import type { QosClass } from "@hooklet/core";
import { type CgroupLayout, type CgroupUsage, cgroupFolder, type KernelRead, readUsage } from "@hooklet/core/rules";

export interface TreeUsage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** All pods together. */
  readonly pods: CgroupUsage | undefined;
  readonly qos: Readonly<Partial<Record<QosClass, CgroupUsage>>>;
  /** By the pod's uid. */
  readonly byPod: ReadonlyMap<string, PodUsage>;
}

export interface PodUsage {
  readonly usage: CgroupUsage;
  /** By the runtime's id of the container. */
  readonly containers: ReadonlyMap<string, CgroupUsage>;
}

/** Whose cgroups to read. */
export interface PassInput {
  readonly kubepods: string;
  readonly qosPaths: Readonly<Record<QosClass, string>>;
  readonly pods: readonly {
    readonly uid: string;
    readonly path: string;
    /** Ids of the containers that run: a sandbox's own cgroup counts in its pod only. */
    readonly containers: readonly string[];
  }[];
  /** The last component of a container's cgroup; undefined while it has none. */
  readonly containerName: (id: string, podPath: string) => string | undefined;
}

export function readTree(files: KernelRead, layout: CgroupLayout, input: PassInput, now: number): TreeUsage {
  const read = (path: string): CgroupUsage | undefined => readUsage(files, layout, path, now);
  const qos: Partial<Record<QosClass, CgroupUsage>> = {};
  for (const quality of ["Burstable", "BestEffort"] as const) {
    const usage = read(input.qosPaths[quality]);
    if (usage !== undefined) qos[quality] = usage;
  }
  const byPod = new Map<string, PodUsage>();
  for (const { uid, path, containers: ids } of input.pods) {
    const usage = read(path);
    if (usage === undefined) continue;
    const containers = new Map<string, CgroupUsage>();
    for (const id of ids) {
      const name = input.containerName(id, path);
      const own = name === undefined ? undefined : read(`${path}/${name}`);
      if (own !== undefined) containers.set(id, own);
    }
    byPod.set(uid, { usage, containers });
  }
  return { at: now, pods: read(input.kubepods), qos, byPod };
}

/**
 * How many processes are in containers: `pids.current` counts threads.
 * @returns by the containers' paths; those that are gone are missing
 */
export function readProcessCounts(
  files: KernelRead,
  layout: CgroupLayout,
  paths: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = cgroupFolder(layout, "pids", path) ?? cgroupFolder(layout, "memory", path);
    const text = folder === undefined ? undefined : files.read(`${folder}/cgroup.procs`);
    if (text !== undefined) counts.set(path, countLines(text));
  }
  return counts;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}
