/** Takes away the directories of pods that are gone. What goes is decided in orphans.ts. */
import { errorText, type PodDirectory } from "@hooklet/core";
import type { PodStates } from "../containers/dead.js";
import { orphansOf, reasonsToStay, unreadable, unremovable } from "./orphans.js";

/** The node, as the sweep sees it. Methods reject when the node cannot tell or do it. */
export interface DirectoryPorts {
  pods(): Pick<PodStates, "allSourcesReady" | "isDeleted">;
  /** Uids of the pods that have a directory. */
  directories(): Promise<readonly string[]>;
  directory(uid: string): Promise<PodDirectory>;
  removeDirectory(uid: string): Promise<void>;
  /** Uids of the pods of which a sandbox or a container runs, or may. */
  running(): Promise<ReadonlySet<string>>;
}

export interface Orphans {
  /** Uids whose directory goes. */
  readonly going: readonly string[];
  readonly staying: readonly StayingDirectory[];
}

export interface StayingDirectory {
  readonly uid: string;
  readonly why: string;
}

export interface Swept {
  readonly removed: readonly string[];
  readonly staying: readonly StayingDirectory[];
}

/** What the next sweep finds; removes nothing. */
export async function findOrphans(ports: DirectoryPorts): Promise<Orphans> {
  // The directories first: a pod that comes meanwhile is known by the time it has one.
  const uids = await ports.directories();
  const candidates = orphansOf(uids, ports.pods(), new Set());
  if (candidates.length === 0) return { going: [], staying: [] };
  const going: string[] = [];
  const staying: StayingDirectory[] = [];
  for (const uid of orphansOf(candidates, ports.pods(), await ports.running())) {
    const reasons = await ports.directory(uid).then(reasonsToStay, (error) => [unreadable(uid, errorText(error))]);
    if (reasons.length === 0) going.push(uid);
    else staying.push({ uid, why: reasons.join("; ") });
  }
  return { going, staying };
}

/** One sweep. One that cannot be removed stays and holds up no other. */
export async function sweepDirectories(ports: DirectoryPorts, signal: AbortSignal): Promise<Swept> {
  const { going, staying } = await findOrphans(ports);
  const removed: string[] = [];
  const failed: StayingDirectory[] = [];
  for (const uid of going) {
    if (signal.aborted) break;
    try {
      await ports.removeDirectory(uid);
      removed.push(uid);
    } catch (error) {
      failed.push({ uid, why: unremovable(uid, errorText(error)) });
    }
  }
  return { removed, staying: [...staying, ...failed] };
}
