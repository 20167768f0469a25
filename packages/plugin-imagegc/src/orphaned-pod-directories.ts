/** Directories of pods that are gone: which of them go (cleanupOrphanedPodDirs of the kubelet's kubelet_volumes.go), and the sweep that takes them away. */
import { errorText, type NodeContext } from "@hooklet/core";
import type { PodDirectory, PodVolumeDirectory } from "@hooklet/core/subsystem";
import type { ContainerPorts } from "./container-collector.js";
import type { PodStates } from "./dead-containers.js";

/** Scratch space, and copies of API objects: worthless once their pod is gone. All other volumes may contain data. */
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

/** The reasons why an orphan's directory stays, with the kubelet's text; none: it is removed. With a mounted volume nothing else is checked. */
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

export function nodeDirectories(
  { pods }: Pick<NodeContext, "pods">,
  node: Pick<ContainerPorts, "pods" | "containers" | "sandboxes">,
): DirectoryPorts {
  return {
    pods: () => node.pods(),
    directories: () => pods.directories(),
    directory: (uid) => pods.directory(uid),
    removeDirectory: (uid) => pods.removeDirectory(uid),
    async running() {
      const containers = (await node.containers()).filter(({ state }) => state !== "exited");
      const sandboxes = (await node.sandboxes()).filter(({ ready }) => ready);
      return new Set([...containers, ...sandboxes].map(({ podUid }) => podUid));
    },
  };
}
