/**
 * The volumes whose folders are the agent's own: emptyDirs, and those that plugins fill. Containers and operators may mount in them what
 * never answers, so that all of this is done by a helper process.
 */
import path from "node:path";
import { disk, Place } from "@hooklet/linux";
import { whenGone } from "@hooklet/utils";
import { type MemoryPlace, MemoryVolumes, makeFolders } from "./memory-volumes.js";
import { mountsBelow, releaseCover, releaseMounts, removePodDirectory, SUB_PATHS } from "./sub-path-mounts.js";

const EMPTY_DIR = "kubernetes.io~empty-dir";
/** The folders above volumes. */
const ABOVE = 0o750;

export interface VolumeDirectory {
  readonly name: string;
  readonly path: string;
  /** `Memory` for an emptyDir in memory, otherwise empty. */
  readonly medium: string;
}

export interface PodDirectory {
  readonly uid: string;
  readonly path: string;
  readonly volumes: readonly PodVolumeDirectory[];
  /** Mount points in it that the agent did not make: of storage drivers, of a container with Bidirectional propagation. */
  readonly mounts: readonly string[];
}

/** `volumes/<plugin>/<name>` in a pod's directory. */
export interface PodVolumeDirectory {
  /** `kubernetes.io~empty-dir`. */
  readonly plugin: string;
  readonly name: string;
  readonly path: string;
  readonly content: "empty" | "filled" | "mounted" | "no directory";
}

export interface OwnVolume {
  readonly memory: MemoryPlace;
  readonly uid: string;
  /** Below the pod's directory. */
  readonly steps: readonly string[];
  readonly medium: "disk" | "memory";
  readonly mode: number;
  readonly group?: number;
  /** Bytes; of a volume in memory. */
  readonly size?: number;
}

/** Idempotent: an existing volume stays as it is. The mode is the kubelet's with any umask. */
export async function makeVolume({ memory, medium, ...volume }: OwnVolume): Promise<void> {
  const { uid, steps, mode, group } = volume;
  if (medium === "memory") return new MemoryVolumes(memory).prepare(volume);
  const last = steps.at(-1) ?? "";
  const pod = Place.open(`${podDirectory(memory.rootDir, uid)}/.`);
  try {
    const above = makeFolders(pod, steps.slice(0, -1), ABOVE);
    try {
      const made = above.folder(last, mode, (place) => {
        if (group === undefined || process.getuid?.() !== 0) return;
        disk.chownSync(place.path, 0, group);
        // A change of the group takes the set-group-id bit away.
        place.chmod(mode);
      });
      if (made === undefined) throw new Error(`${last} is in the way: expected a directory`);
      made.close();
    } finally {
      above.close();
    }
  } finally {
    pod.close();
  }
}

export interface OwnVolumes {
  readonly memory: MemoryPlace;
  readonly uid: string;
  readonly directories: readonly VolumeDirectory[];
}

/** Gives back what an ended pod's emptyDirs take. */
export async function clearVolumes(own: OwnVolumes, progress?: () => void): Promise<void> {
  const podDir = podDirectory(own.memory.rootDir, own.uid);
  await emptyMemory(own, progress);
  // The mount of a file keeps what the file takes, also when it has no name any more.
  await releaseMounts(path.join(podDir, SUB_PATHS));
  for (const directory of own.directories) await removePodDirectory(podDir, directory.path, progress);
}

/** Removes the pod's directory with all that is in it. */
export async function removeVolumes(own: OwnVolumes, progress?: () => void): Promise<void> {
  await emptyMemory(own, progress);
  await removePodDirectory(podDirectory(own.memory.rootDir, own.uid), undefined, progress);
  await new MemoryVolumes(own.memory).remove(own.uid);
}

async function emptyMemory({ memory, directories }: OwnVolumes, progress?: () => void): Promise<void> {
  const volumes = new MemoryVolumes(memory);
  for (const { medium, path: place } of directories) {
    if (medium !== "Memory") continue;
    // What others mounted over it, or in it, is not ours to empty.
    await releaseCover(place);
    await releaseMounts(place);
    await volumes.empty(place, progress);
  }
}

/** What lies in the directory of a pod. Rejects with the system's error when it cannot be read. */
export async function lookAtPod({ uid, at }: { readonly uid: string; readonly at: string }): Promise<PodDirectory> {
  const directory = await disk.realpath(at);
  const mounts = new Set(mountsBelow(directory));
  const volumes: PodVolumeDirectory[] = [];
  const root = path.join(directory, "volumes");
  for (const plugin of await foldersOf(root)) {
    for (const entry of await entriesOf(path.join(root, plugin))) {
      const place = path.join(root, plugin, entry.name);
      // Reading a mounted volume may hang.
      const content = mounts.has(place)
        ? "mounted"
        : !entry.isDirectory()
          ? "no directory"
          : (await disk.isEmptyFolder(place))
            ? "empty"
            : "filled";
      volumes.push({ plugin, name: entry.name, path: place, content });
    }
  }
  return { uid, path: directory, volumes, mounts: [...mounts].filter((mount) => !isOwn(directory, mount)) };
}

function podDirectory(rootDir: string, uid: string): string {
  return path.join(rootDir, "pods", uid);
}

/** Sub paths, and emptyDirs in memory: the agent mounts both and may unmount them. */
function isOwn(directory: string, mount: string): boolean {
  const [first, plugin, ...rest] = path.relative(directory, mount).split(path.sep);
  return first === SUB_PATHS || (first === "volumes" && plugin === EMPTY_DIR && rest.length === 1);
}

export async function foldersOf(directory: string): Promise<readonly string[]> {
  return (await entriesOf(directory)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function entriesOf(directory: string) {
  return whenGone([], () => disk.readdir(directory, { withFileTypes: true }));
}

/** The uid of the pod below whose volumes a path lies, by the kubelet's layout; undefined: it lies elsewhere. */
export function podVolumeOf(file: string): string | undefined {
  return /\/(?:leaving-)?pods\/([^/]+)\/volume(?:s|-subpaths)\//.exec(`${file}/`)?.[1];
}
