/** Orphaned pod cgroups. Pure but for the list of folders. */
import type { CgroupFiles } from "../host/port.js";
import { type CgroupDriver, type CgroupName, cgroupPath, parseCgroupPath } from "../name/name.js";
import { podUidOf, type QosRoots } from "../name/tree.js";

export interface FoundPodCgroup {
  readonly uid: string;
  readonly path: string;
}

/** All pod cgroups under the QoS roots, in any hierarchy. @param folders of a cgroup in all hierarchies */
export function findPodCgroups(
  files: Pick<CgroupFiles, "directories">,
  roots: QosRoots,
  driver: CgroupDriver,
  folders: (path: string) => readonly string[],
): FoundPodCgroup[] {
  const found = new Map<string, FoundPodCgroup>();
  for (const root of new Set<CgroupName>(Object.values(roots))) {
    const rootPath = cgroupPath(root, driver);
    for (const folder of folders(rootPath)) {
      for (const entry of files.directories(folder)) {
        const path = `${rootPath === "/" ? "" : rootPath}/${entry}`;
        const uid = found.has(path) ? undefined : podUidOf(parseCgroupPath(path, driver), roots);
        if (uid !== undefined) found.set(path, { uid, path });
      }
    }
  }
  return [...found.values()];
}

export interface OrphanFacts {
  /** The agent knows the pod. */
  readonly known: boolean;
  /** The runtime has a sandbox of it, which its owner ends. */
  readonly hasSandbox: boolean;
  /** This agent, or one before it on the same root dir, made the cgroup. */
  readonly own: boolean;
  readonly processes: number;
  /** Milliseconds since it was made or last changed. */
  readonly age: number;
}

/** Milliseconds: a cgroup of another agent that is just being made is empty for a moment. */
const EMPTY_FOR = 60_000;

export type OrphanVerdict = "keep" | "remove" | "foreign";

/** `foreign`: processes that are not this agent's; reported, never touched. */
export function orphanVerdict({ known, hasSandbox, own, processes, age }: OrphanFacts): OrphanVerdict {
  if (known || hasSandbox) return "keep";
  if (own) return "remove";
  if (processes > 0) return "foreign";
  return age >= EMPTY_FOR ? "remove" : "keep";
}
