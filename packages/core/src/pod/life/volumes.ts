/**
 * A pod's directories and volumes on the node, laid out as the kubelet does below `<root>/pods/<uid>`. emptyDir of
 * medium Memory lies in the machine's tmpfs, so that no mount is needed.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fchmodSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { chmod, chown, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { type Container, type Pod, podText } from "@hooklet/manifest";
import type { Volume } from "kubernetes-types/core/v1.js";
import { errorText } from "../../errors.js";
import type { VolumeDirectory } from "../../plugin/contract.js";
import type { Mount } from "../../runtime/port.js";
import { ContainerConfigError } from "../spec/env.js";
import { subPathOf } from "../spec/sub-path.js";
import { prepareHostPath, VolumeError } from "./host-path.js";
import type { ProvidedVolumes } from "./provided-volumes.js";
import { mountSource, releaseMounts } from "./sub-path-mounts.js";

const MEMORY_DIR = "/dev/shm";

export class PodVolumes {
  readonly #memoryDir: string;
  readonly #provided: ProvidedVolumes | undefined;

  constructor(
    private readonly rootDir: string,
    { provided, memoryDir = MEMORY_DIR }: { readonly provided?: ProvidedVolumes; readonly memoryDir?: string } = {},
  ) {
    this.#provided = provided;
    const id = createHash("sha256").update(rootDir).digest("hex").slice(0, 12);
    this.#memoryDir = path.join(memoryDir, `hooklet-${id}`);
  }

  podDir(uid: string): string {
    return path.join(this.rootDir, "pods", safe(uid));
  }

  /** Makes what the pod's containers will mount. May be repeated. @throws VolumeError */
  async prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    mkdirSync(this.podDir(pod.metadata.uid), { recursive: true, mode: 0o750 });
    for (const volume of pod.spec.volumes ?? []) {
      try {
        if (volume.emptyDir !== undefined) await this.#prepareEmptyDir(pod, volume);
        else if (volume.hostPath !== undefined) await prepareHostPath(volume.name, volume.hostPath);
        else await this.#provided?.prepare(pod, this.podDir(pod.metadata.uid), volume, signal);
      } catch (error) {
        if (error instanceof VolumeError) throw error;
        throw new VolumeError(volume.name, error instanceof Error ? error.message : String(error));
      }
    }
  }

  /**
   * Makes all of it again when the pod runs and its directory is gone (with the root dir, while no agent was there), and
   * what plugins fill after a restart of the agent.
   */
  async restore(pod: Pod, signal: AbortSignal): Promise<void> {
    const made = mkdirSync(this.podDir(pod.metadata.uid), { recursive: true, mode: 0o750 });
    if (made !== undefined || this.#provided?.isReady(pod) === false) await this.prepare(pod, signal);
  }

  async #prepareEmptyDir(pod: Pod, volume: Volume): Promise<void> {
    const directory = this.volumePath(pod, volume);
    const made = await mkdir(directory, { recursive: true });
    if (made === undefined) return;
    const group = pod.spec.securityContext?.fsGroup;
    if (group !== undefined && process.getuid?.() === 0) await chown(directory, 0, group);
    await chmod(directory, group === undefined ? 0o777 : 0o2777);
  }

  /** The pod's emptyDirs, in the order of its manifest. */
  emptyDirs(pod: Pod | undefined): readonly VolumeDirectory[] {
    const volumes = (pod?.spec.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined);
    return volumes.map((volume) => {
      const path = this.volumePath(pod as Pod, volume);
      return { name: volume.name, path, medium: volume.emptyDir?.medium ?? "" };
    });
  }

  /** Where a volume lies on the node. */
  volumePath(pod: Pod, volume: Volume): string {
    if (volume.hostPath !== undefined) return path.resolve("/", volume.hostPath.path);
    if (this.#provided?.isProvided(volume)) {
      return this.#provided.place(pod, this.podDir(pod.metadata.uid), volume);
    }
    const inPod = path.join("volumes", "kubernetes.io~empty-dir", safe(volume.name));
    if (volume.emptyDir?.medium !== "Memory") return path.join(this.podDir(pod.metadata.uid), inPod);
    return path.join(this.#memoryDir, safe(pod.metadata.uid), inPod);
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
      mounts.push({
        containerPath: mount.mountPath,
        hostPath: await this.#source(pod, volume, container, index, subPathOf(mount, env)),
        readonly: mount.readOnly === true || this.#provided?.isReadOnly(volume) === true,
        selinuxRelabel: false,
        propagation: PROPAGATION[mount.mountPropagation ?? "None"] ?? "PRIVATE",
      });
    }
    return mounts;
  }

  async #source(pod: Pod, volume: Volume, { name }: Container, index: number, subPath: string): Promise<string> {
    const whole = this.volumePath(pod, volume);
    if (subPath === "") return whole;
    const where = { volume: safe(volume.name), container: safe(name), index };
    try {
      return await mountSource(this.podDir(pod.metadata.uid), where, whole, subPath);
    } catch (error) {
      const what = `failed to prepare subPath for volumeMount "${volume.name}" of container "${name}"`;
      throw new ContainerConfigError(`${what}: ${errorText(error)}`);
    }
  }

  /** Writes the managed /etc/hosts and returns its mount. */
  async hostsMount(pod: Pod, text: string): Promise<Mount> {
    const file = path.join(this.podDir(pod.metadata.uid), "etc-hosts");
    writeFileSync(file, text, { mode: 0o644 });
    return mountOf("/etc/hosts", file);
  }

  /** An empty file for the container's termination message, and its mount. */
  async terminationLogMount(pod: Pod, container: Container, attempt: number): Promise<Mount | undefined> {
    if (!container.terminationMessagePath) return undefined;
    const file = this.terminationLog(pod, container.name, attempt);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o750 });
    const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;
    const opened = openSync(file, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o666);
    try {
      // The container may run as any user; open() obeys the umask.
      fchmodSync(opened, 0o666);
    } finally {
      closeSync(opened);
    }
    return mountOf(container.terminationMessagePath, file);
  }

  terminationLog(pod: Pod, container: string, attempt: number): string {
    const id = createHash("sha256").update(`${pod.metadata.uid}/${container}/${attempt}`).digest("hex").slice(0, 8);
    return path.join(this.podDir(pod.metadata.uid), "containers", safe(container), id);
  }

  /** Gives back what an ended pod's emptyDirs take, as the kubelet does long before the pod is forgotten. */
  async clear(pod: Pod): Promise<void> {
    const directories = this.emptyDirs(pod);
    if (directories.length > 0) await releaseMounts(this.podDir(pod.metadata.uid));
    for (const directory of directories) await rm(directory.path, { recursive: true, force: true });
  }

  /** Removes all that `prepare` made, what plugins filled once they have given it back; host paths stay. */
  async remove(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    await this.#provided?.release(pod, this.podDir(uid));
    for (const directory of [path.join(this.#memoryDir, safe(uid)), this.podDir(uid)]) {
      await releaseMounts(directory);
      await rm(directory, { recursive: true, force: true });
    }
  }
}

const PROPAGATION: Readonly<Record<string, Mount["propagation"]>> = {
  None: "PRIVATE",
  HostToContainer: "HOST_TO_CONTAINER",
  Bidirectional: "BIDIRECTIONAL",
};

function mountOf(containerPath: string, hostPath: string): Mount {
  return { containerPath, hostPath, readonly: false, selinuxRelabel: false, propagation: "PRIVATE" };
}

/** Names reach here validated; this keeps a slip from leaving the root dir. */
function safe(segment: string): string {
  if (segment === "" || segment === "." || segment === ".." || segment.includes("/") || segment.includes("\0")) {
    throw new Error(`${JSON.stringify(segment)} cannot be part of a path`);
  }
  return segment;
}
