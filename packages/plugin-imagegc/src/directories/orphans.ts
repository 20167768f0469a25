/** Which directories of pods go (cleanupOrphanedPodDirs of the kubelet's kubelet_volumes.go). Pure. */
import type { PodDirectory, PodVolumeDirectory } from "@hooklet/core";
import type { PodStates } from "../containers/dead.js";

/** Scratch space, and copies of what the API has: nobody misses them once their pod is gone. All other volumes are somebody's data. */
const WITHOUT_WORTH: ReadonlySet<string> = new Set(
  ["empty-dir", "configmap", "secret", "projected", "downward-api"].map((name) => `kubernetes.io~${name}`),
);

/** The uids whose pod is gone and has nothing that runs; none before all sources are ready. */
export function orphansOf(
  uids: readonly string[],
  { allSourcesReady, isDeleted }: Pick<PodStates, "allSourcesReady" | "isDeleted">,
  running: ReadonlySet<string>,
): readonly string[] {
  return allSourcesReady ? uids.filter((uid) => isDeleted(uid) && !running.has(uid)) : [];
}

/** Why the directory of an orphan stays, in the kubelet's words; none: it goes. Where a volume is mounted, nothing else is looked at. */
export function reasonsToStay({ uid, volumes, mounts }: Omit<PodDirectory, "path">): readonly string[] {
  const found = foundOrphan(uid);
  if (mounts.length > 0) return [`${found}, but volumes are not cleaned up: mounted at ${mounts.join(", ")}`];
  return volumes.flatMap((volume) => {
    const error = rmdirError(volume);
    return error === undefined ? [] : [`${found}, but failed to rmdir() volume at path ${volume.path}: ${error}`];
  });
}

export function unreadable(uid: string, error: string): string {
  return `${foundOrphan(uid)}, but error occurred during reading volume dir from disk: ${error}`;
}

export function unremovable(uid: string, error: string): string {
  return `${foundOrphan(uid)}, but error occurred when trying to remove the pod directory: ${error}`;
}

function foundOrphan(uid: string): string {
  return `orphaned pod ${JSON.stringify(uid)} found`;
}

/** What the kernel says to rmdir() of it. */
function rmdirError({ plugin, content }: PodVolumeDirectory): string | undefined {
  if (content === "no directory") return "not a directory";
  return content === "filled" && !WITHOUT_WORTH.has(plugin) ? "directory not empty" : undefined;
}
