/** A pod's directories and volumes on the node, laid out as the kubelet does below `<root>/pods/<uid>`. */

import type { Mount } from "@hooklet/cri-api";
import { disk, pathSegment } from "@hooklet/linux";
import { type Container, type Pod, podText } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import {
  type MemoryPlace,
  MemoryVolumes,
  memoryVolumeSize,
  type OwnVolume,
  type OwnVolumes,
  type VolumeCalls,
  type VolumeDirectory,
  volumeCallsHere,
} from "@hooklet/volumes";
import type { HostPathVolumeSource, Volume, VolumeMount } from "kubernetes-types/core/v1.js";
import { ContainerConfigError } from "../spec/env.js";
import { recursiveReadOnly, subPathOf } from "../spec/mounts.js";
import { hostsMount, terminationLog, terminationLogMount } from "./pod-files.js";
import type { ProvidedVolumes } from "./provided-volumes.js";
import { emptyDirSteps, VolumePlaces } from "./volume-places.js";

export interface PodVolumesOptions {
  readonly provided?: ProvidedVolumes;
  /** How paths of volumes are touched. Default: by this process. */
  readonly calls?: VolumeCalls;
  /** Bytes that pods may have, for the size of volumes in memory. */
  readonly allocatableMemory?: () => number | undefined;
  /** Folders in which what hostPaths of the pod lead to has to lie; null = anywhere. Default: anywhere. */
  readonly allowedHostPaths?: (pod: Pod) => readonly string[] | null;
  /** RuntimeClass handlers that can make a mount read-only with all below it; default none. */
  readonly recursiveReadOnlyHandlers?: readonly string[];
  /** The machine's tmpfs, for tests. */
  readonly memoryDir?: string;
}

/** A volume that cannot be made: the pod waits, event FailedMount. */
class VolumeError extends Error {
  override readonly name = "VolumeError";

  constructor(
    readonly volume: string,
    detail: string,
  ) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${detail}`);
  }
}

export class PodVolumes {
  readonly #provided: ProvidedVolumes | undefined;
  readonly #memory: MemoryPlace;
  readonly #calls: VolumeCalls;
  readonly #places: VolumePlaces;

  constructor(
    rootDir: string,
    private readonly options: PodVolumesOptions = {},
  ) {
    this.#provided = options.provided;
    this.#calls = options.calls ?? volumeCallsHere;
    const sharedDir = options.memoryDir ?? this.#calls.memoryDir;
    this.#memory = {
      rootDir,
      mounts: this.#calls.mountsMemory,
      ...(sharedDir !== undefined && { sharedDir }),
    };
    this.#places = new VolumePlaces(rootDir, new MemoryVolumes(this.#memory), this.#provided);
  }

  podDir(uid: string): string {
    return this.#places.podDir(uid);
  }

  /** The pod's emptyDirs, in the order of its manifest. */
  emptyDirs(pod: Pod | undefined): readonly VolumeDirectory[] {
    return pod === undefined ? [] : this.#places.emptyDirs(pod);
  }

  /** Where a volume lies on the node. */
  volumePath(pod: Pod, volume: Volume): string {
    return this.#places.of(pod, volume);
  }

  /** Makes what the pod's containers will mount. May be repeated. @throws VolumeError */
  async prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    disk.mkdirSync(this.podDir(pod.metadata.uid), { recursive: true, mode: 0o700 });
    for (const volume of pod.spec.volumes ?? []) {
      try {
        if (volume.emptyDir !== undefined) await this.#prepareEmptyDir(pod, volume);
        else if (volume.hostPath !== undefined) await this.#prepareHostPath(pod, volume.name, volume.hostPath);
        else await this.#prepareProvided(pod, volume, signal);
      } catch (error) {
        if (error instanceof VolumeError) throw error;
        throw new VolumeError(volume.name, error instanceof Error ? error.message : String(error));
      }
    }
  }

  /**
   * Creates all of it again when the pod runs and its directory is gone (lost with the root dir while no agent ran), and
   * what plugins fill after a restart of the agent.
   */
  async restore(pod: Pod, signal: AbortSignal): Promise<void> {
    const made = disk.mkdirSync(this.podDir(pod.metadata.uid), { recursive: true, mode: 0o700 });
    if (made !== undefined || this.#provided?.isReady(pod) === false) await this.prepare(pod, signal);
  }

  async #prepareProvided(pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> {
    const provided = this.#provided;
    if (provided === undefined) return;
    // Manifests are checked before; pods of other sources may ask for anything.
    if (!provided.isProvided(volume)) throw new Error(`no volume plugin matched: ${kindsOf(volume)}`);
    const directory = this.#places.filled(pod, volume);
    const medium = provided.content(volume);
    const steps = provided.steps(volume);
    if (medium === undefined)
      await this.#calls.makeVolume({ ...this.#volume(pod), medium: "disk", steps, mode: 0o750 });
    else await this.#make(pod, { medium, steps });
    await provided.prepare(pod, directory, volume, signal);
  }

  async #prepareEmptyDir(pod: Pod, volume: Volume): Promise<void> {
    const steps = emptyDirSteps(volume);
    if (volume.emptyDir?.medium !== "Memory") return this.#make(pod, { medium: "disk", steps });
    const size = memoryVolumeSize(pod, volume, this.options.allocatableMemory?.());
    await this.#make(pod, { medium: "memory", steps, ...(size !== undefined && { size }) });
  }

  async #make(pod: Pod, what: Pick<OwnVolume, "medium" | "steps" | "size">): Promise<void> {
    const group = pod.spec.securityContext?.fsGroup;
    const mode = group === undefined ? 0o777 : 0o2777;
    await this.#calls.makeVolume({
      ...what,
      ...this.#volume(pod),
      // A tmpfs of the kubelet has the kernel's own mode, with the sticky bit.
      mode: what.medium === "memory" ? mode | 0o1000 : mode,
      ...(group !== undefined && { group }),
    });
  }

  /**
   * Volume mounts of a container, in the order of the manifest, with the places of their sub paths made.
   * @throws VolumeError, ContainerConfigError
   */
  async mounts(pod: Pod, container: Container, env: ReadonlyMap<string, string>): Promise<readonly Mount[]> {
    const volumes = new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volume]));
    const mounts: Mount[] = [];
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      const volume = volumes.get(mount.name);
      if (volume === undefined) throw new VolumeError(mount.name, `pod ${podText(pod)} has no such volume`);
      const rro = this.#recursiveReadOnly(pod, mount);
      mounts.push({
        containerPath: absolute(mount.mountPath),
        hostPath: await this.#source(pod, volume, container, index, subPathOf(mount, env)),
        readonly: mount.readOnly === true || this.#provided?.isReadOnly(volume) === true,
        ...(rro && { recursiveReadOnly: true }),
        selinuxRelabel: false,
        propagation: PROPAGATION[mount.mountPropagation ?? "None"] ?? "PRIVATE",
      });
    }
    return mounts;
  }

  /** Whether the runtime can make the pod's mounts read-only with all below them. */
  canReadOnlyRecursively({ spec }: Pick<Pod, "spec">): boolean {
    return this.options.recursiveReadOnlyHandlers?.includes(spec.runtimeClassName ?? "") === true;
  }

  #recursiveReadOnly(pod: Pod, mount: VolumeMount): boolean {
    try {
      return recursiveReadOnly(mount, this.canReadOnlyRecursively(pod));
    } catch (error) {
      throw new ContainerConfigError(`failed to resolve recursive read-only mode: ${errorText(error)}`);
    }
  }

  async #source(pod: Pod, volume: Volume, { name }: Container, index: number, subPath: string): Promise<string> {
    const whole = (await this.#allowedSource(pod, volume)) ?? this.volumePath(pod, volume);
    if (subPath === "") return whole;
    const where = { volume: pathSegment(volume.name), container: pathSegment(name), index };
    try {
      const podDir = this.podDir(pod.metadata.uid);
      return await this.#calls.mountSource({ podDir, where, volumePath: whole, subPath });
    } catch (error) {
      const what = `failed to prepare subPath for volumeMount "${volume.name}" of container "${name}"`;
      throw new ContainerConfigError(`${what}: ${errorText(error)}`);
    }
  }

  async #prepareHostPath(pod: Pod, volume: string, source: HostPathVolumeSource): Promise<void> {
    if ((await this.#mountAllowed(pod, volume, source)) === undefined) await this.#calls.prepareHostPath(source);
  }

  /** Undefined: the path as it is written. Checked again for each container: a path that was swapped since is refused. */
  async #allowedSource(pod: Pod, { name, hostPath }: Volume): Promise<string | undefined> {
    try {
      return hostPath && (await this.#mountAllowed(pod, name, hostPath));
    } catch (error) {
      throw new VolumeError(name, errorText(error));
    }
  }

  async #mountAllowed(pod: Pod, volume: string, source: HostPathVolumeSource): Promise<string | undefined> {
    const allowed = this.options.allowedHostPaths?.(pod) ?? null;
    if (allowed === null) return undefined;
    const podDir = this.podDir(pod.metadata.uid);
    return this.#calls.mountAllowed({ podDir, volume: pathSegment(volume), source, allowed });
  }

  /** Writes the managed /etc/hosts and returns its mount. */
  async hostsMount(pod: Pod, text: string): Promise<Mount> {
    return hostsMount(this.podDir(pod.metadata.uid), text);
  }

  /** An empty file for the container's termination message, and its mount. */
  async terminationLogMount(pod: Pod, container: Container, attempt: number): Promise<Mount | undefined> {
    return terminationLogMount(this.podDir(pod.metadata.uid), pod, container, attempt);
  }

  terminationLog(pod: Pod, container: string, attempt: number): string {
    return terminationLog(this.podDir(pod.metadata.uid), pod, container, attempt);
  }

  /** Gives back what an ended pod's emptyDirs take, as the kubelet does long before the pod is forgotten. */
  async clear(pod: Pod): Promise<void> {
    const directories = this.emptyDirs(pod);
    if (directories.length === 0) return;
    await this.#calls.clearVolumes(this.#own(pod, directories));
  }

  /** Removes all that `prepare` made, what plugins filled once they have given it back; host paths stay. */
  async remove(pod: Pod): Promise<void> {
    await this.#provided?.release(pod, (volume) => this.#places.filled(pod, volume));
    const inMemory = [...this.emptyDirs(pod), ...this.#places.filledInMemory(pod)];
    await this.#calls.removeVolumes(this.#own(pod, inMemory));
  }

  #volume(pod: Pod): Pick<OwnVolume, "memory" | "uid"> {
    return { memory: this.#memory, uid: pathSegment(pod.metadata.uid) };
  }

  #own(pod: Pod, directories: readonly VolumeDirectory[]): OwnVolumes {
    return { ...this.#volume(pod), directories };
  }
}

const PROPAGATION: Readonly<Record<string, Mount["propagation"]>> = {
  None: "PRIVATE",
  HostToContainer: "HOST_TO_CONTAINER",
  Bidirectional: "BIDIRECTIONAL",
};

/** The API lets other paths through as well; a runtime must not take one from where it happens to stand. */
function absolute(mountPath: string): string {
  return mountPath.startsWith("/") ? mountPath : `/${mountPath}`;
}

/** What kind of volume it says to be: `nfs`. */
function kindsOf({ name: _, ...kinds }: Volume): string {
  return Object.keys(kinds).join(", ") || "it names no kind of volume";
}
