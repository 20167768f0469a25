/** Calls on paths of volumes; the agent itself never touches one. */
import path from "node:path";
import { HelperPool } from "@hooklet/linux";
import type { Clock } from "@hooklet/utils";
import type { HostPathVolumeSource } from "kubernetes-types/core/v1.js";
import { type AllowedHostPath, mountAllowed } from "./allowed-host-path.js";
import { prepareHostPath } from "./host-path.js";
import {
  clearVolumes,
  lookAtPod,
  makeVolume,
  type OwnVolume,
  type OwnVolumes,
  type PodDirectory,
  podVolumeOf,
  removeVolumes,
} from "./own-volumes.js";
import { mountSource, removePodDirectory, type SubPathPlace } from "./sub-path-mounts.js";

export interface VolumeCalls {
  /** The kubelet's check of a hostPath; makes what its type wants made. */
  prepareHostPath(source: HostPathVolumeSource): Promise<void>;
  /** The path to mount for a hostPath of a source with `allowedHostPaths`. */
  mountAllowed(wanted: AllowedHostPath): Promise<string>;
  /** The path to mount for a sub path of the volume. */
  mountSource(place: SubPathPlace): Promise<string>;
  makeVolume(volume: OwnVolume): Promise<void>;
  clearVolumes(own: OwnVolumes): Promise<void>;
  removeVolumes(own: OwnVolumes): Promise<void>;
  lookAtPod(pod: { readonly uid: string; readonly at: string }): Promise<PodDirectory>;
  /** Removes the directory of an unknown pod. */
  removePodDirectory(directory: string): Promise<void>;
  /** Whether each volume in memory is a mount, where the agent may mount: mount(8) is a subprocess. */
  readonly mountsMemory: boolean;
  /** Where their folders are when they are no mounts; default: the machine's tmpfs. */
  readonly memoryDir?: string;
  close(): void;
}

/** In the agent itself: for virtual time, and for tests. */
export const volumeCallsHere: VolumeCalls = {
  prepareHostPath,
  mountAllowed,
  mountSource,
  makeVolume,
  clearVolumes,
  removeVolumes,
  lookAtPod,
  removePodDirectory,
  mountsMemory: true,
  close: () => undefined,
};

/** Runs the calls in subprocesses, with a deadline. */
export function volumeCallsApart(
  clock: Clock,
  options: { readonly deadline?: number; readonly quiet?: number } = {},
): VolumeCalls {
  const pool = new HelperPool({ clock, module: new URL("./volume-helper.js", import.meta.url), ...options });
  return {
    prepareHostPath: (source) => pool.call("prepareHostPath", source, source.path),
    mountAllowed: (wanted) => pool.call("mountAllowed", wanted, wanted.source.path),
    mountsMemory: true,
    // A pod's own volumes are checked one after the other: one that hangs costs only this pod.
    mountSource: (place) => pool.call("mountSource", place, place.volumePath, podVolumeOf(place.volumePath)),
    makeVolume: (volume) =>
      pool.call(
        "makeVolume",
        volume,
        path.join(volume.memory.rootDir, "pods", volume.uid, ...volume.steps),
        volume.uid,
      ),
    clearVolumes: (own) => pool.call("clearVolumes", own, podDirOf(own), own.uid),
    removeVolumes: (own) => pool.call("removeVolumes", own, podDirOf(own), own.uid),
    lookAtPod: (pod) => pool.call("lookAtPod", pod, pod.at, pod.uid),
    removePodDirectory: (directory) => pool.call("removePodDirectory", directory, directory, path.basename(directory)),
    close: () => pool.close(),
  };
}

function podDirOf({ memory, uid }: OwnVolumes): string {
  return path.join(memory.rootDir, "pods", uid);
}
