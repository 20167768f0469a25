/** What is asked of paths of volumes that are not the agent's own. */
import type { HostPathVolumeSource } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../clock.js";
import { HelperPool } from "../../host/helper-pool.js";
import { prepareHostPath } from "./host-path.js";
import { mountSource, type SubPathPlace } from "./sub-path-mounts.js";

export interface VolumeCalls {
  /** The kubelet's check of a hostPath; makes what its type wants made. */
  prepareHostPath(source: HostPathVolumeSource): Promise<void>;
  /** The path to mount for a sub path of the volume. */
  mountSource(place: SubPathPlace): Promise<string>;
  /** Whether each volume in memory is a mount of its own, where the agent may mount: mount(8) is a process. */
  readonly mountsMemory: boolean;
  /** Where their folders are when they are no mounts; default: the machine's tmpfs. */
  readonly memoryDir?: string;
  close(): void;
}

/** In the agent itself: for virtual time, and for tests. */
export const volumeCallsHere: VolumeCalls = {
  prepareHostPath,
  mountSource,
  mountsMemory: true,
  close: () => undefined,
};

/** In processes of their own, with a deadline. */
export function volumeCallsApart(
  clock: Clock,
  options: { readonly deadline?: number; readonly quiet?: number } = {},
): VolumeCalls {
  const pool = new HelperPool({ clock, module: new URL("./volume-helper.js", import.meta.url), ...options });
  return {
    prepareHostPath: (source) => pool.call("prepareHostPath", source, source.path),
    mountsMemory: true,
    mountSource: (place) => pool.call("mountSource", place, place.volumePath),
    close: () => pool.close(),
  };
}
