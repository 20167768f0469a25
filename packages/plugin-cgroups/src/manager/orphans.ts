/** Removes orphaned pod cgroups. */

import type { Clock } from "@hooklet/core";
import type { CgroupLayout } from "@hooklet/core/rules";
import { pidsBelow } from "@hooklet/linux";
import { allFolders, type CgroupFiles } from "../host/cgroup-files.js";
import {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  parseCgroupPath,
  podUidOf,
  type QosRoots,
} from "../name/name.js";
import type { NodeRules } from "../plan/node-rules.js";
import type { Reports } from "./reports.js";

interface Sweep {
  readonly files: CgroupFiles;
  readonly layout: CgroupLayout;
  readonly rules: NodeRules;
  readonly clock: Clock;
  readonly reports: Reports;
  /** The agent knows the pod, or is just removing its cgroup. */
  readonly isKnown: (found: FoundPodCgroup) => boolean;
  /** This agent, or one before it on the same root dir, made the cgroup. */
  readonly isOwn: (uid: string) => boolean;
  /** Uids of pods that have a sandbox; read only when there is something to decide. */
  readonly sandboxes: () => Promise<ReadonlySet<string>>;
  /** How many processes were killed; undefined when something is left. */
  readonly remove: (path: string) => Promise<number | undefined>;
  /** Ends the sweep between two cgroups: the rest is for the next one. */
  readonly signal?: AbortSignal | undefined;
}

/** One sweep over both QoS roots and that of Guaranteed pods. Returns the uids whose cgroups were removed. */
export async function sweepOrphans(sweep: Sweep): Promise<readonly string[]> {
  const { files, layout, rules, clock, reports } = sweep;
  const candidates = findPodCgroups(files, rules.roots, rules.driver, (path) => allFolders(layout, path)).filter(
    (found) => !sweep.isKnown(found),
  );
  if (candidates.length === 0) return [];
  const withSandbox = await sweep.sandboxes();
  const gone: string[] = [];
  for (const found of candidates) {
    // The kernel takes milliseconds for each: other work of the agent runs between.
    await new Promise((resolve) => setImmediate(resolve));
    if (sweep.signal?.aborted) break;
    const { uid, path } = found;
    const folders = allFolders(layout, path);
    const processes = pidsBelow(files, folders).length;
    const changed = Math.max(...folders.map((folder) => files.changedAt(folder) ?? 0));
    const verdict = orphanVerdict({
      known: sweep.isKnown(found),
      hasSandbox: withSandbox.has(uid),
      own: sweep.isOwn(uid),
      processes,
      age: clock.now() - changed,
    });
    if (verdict === "foreign") reports.foreign(path, processes);
    const killed = verdict === "remove" ? await sweep.remove(path) : undefined;
    if (killed === undefined) continue;
    gone.push(uid);
    reports.removedOrphan(path, killed);
  }
  return gone;
}

// Orphaned pod cgroups. Pure but for the list of folders.

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

interface OrphanFacts {
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

type OrphanVerdict = "keep" | "remove" | "foreign";

/** `foreign`: processes that are not this agent's; reported, never touched. */
function orphanVerdict({ known, hasSandbox, own, processes, age }: OrphanFacts): OrphanVerdict {
  if (known || hasSandbox) return "keep";
  if (own) return "remove";
  if (processes > 0) return "foreign";
  return age >= EMPTY_FOR ? "remove" : "keep";
}
