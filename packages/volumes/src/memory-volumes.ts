/**
 * emptyDirs of medium Memory. As root each is a tmpfs below the pod's directory, as in the kubelet. An ordinary user cannot mount: it gets a
 * private folder in the machine's tmpfs.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { rmdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Place, removeTree } from "@hooklet/linux";
import { type Pod, parseQuantity, podLimitList, quantityValue } from "@hooklet/manifest";
import { errorText, unless } from "@hooklet/utils";
import type { Volume } from "kubernetes-types/core/v1.js";

const run = promisify(execFile);
/** Milliseconds. */
const MOUNT_DEADLINE = 10_000;
const SHARED_DIR = "/dev/shm";

interface MemoryVolume {
  readonly uid: string;
  /** Below the pod's directory: `volumes/kubernetes.io~empty-dir/<name>`, as steps. */
  readonly steps: readonly string[];
  readonly mode: number;
  readonly group?: number;
  /** Bytes. */
  readonly size?: number;
}

/** Where volumes in memory are. */
export interface MemoryPlace {
  readonly rootDir: string;
  /** Whether each volume is a mount, where the agent may mount. */
  readonly mounts: boolean;
  /** The machine's tmpfs; another one for tests. */
  readonly sharedDir?: string;
}

export class MemoryVolumes {
  readonly #rootDir: string;
  readonly #mounts: boolean;
  readonly #sharedDir: string;
  readonly #top: string;

  constructor({ rootDir, mounts, sharedDir = SHARED_DIR }: MemoryPlace) {
    this.#rootDir = rootDir;
    this.#mounts = mounts && process.getuid?.() === 0;
    this.#sharedDir = sharedDir;
    this.#top = `hooklet-${createHash("sha256").update(rootDir).digest("hex").slice(0, 12)}`;
  }

  #podDir(uid: string): string {
    return path.join(this.#rootDir, "pods", uid);
  }

  place(uid: string, steps: readonly string[]): string {
    return this.#mounts ? path.join(this.#podDir(uid), ...steps) : path.join(this.#shared(uid), ...steps);
  }

  /** Idempotent: what exists and is ours stays as it is. */
  async prepare(volume: MemoryVolume): Promise<void> {
    if (this.#mounts) await this.#mounted(volume);
    else this.#folder(volume);
  }

  /** What it holds goes first: a mount that other mount namespaces still have keeps its memory. */
  async empty(directory: string, progress?: () => void): Promise<void> {
    await removeTree(directory, { contentsOnly: true, ...(progress && { progress }) });
  }

  /** The folders of an ordinary user's pod, with the last of them the one above. A top folder of another user is not touched. */
  async remove(uid: string): Promise<void> {
    if (!this.#isOurs()) return;
    await removeTree(this.#shared(uid));
    await rmdir(path.join(this.#sharedDir, this.#top)).catch(() => {
      // Other pods have folders in it.
    });
  }

  #shared(uid: string): string {
    return path.join(this.#sharedDir, this.#top, uid);
  }

  async #mounted({ uid, steps, mode, group, size }: MemoryVolume): Promise<void> {
    const folder = Place.with(`${this.#podDir(uid)}/.`, (pod) => makeFolders(pod, steps));
    try {
      const above = Place.with(path.dirname(this.place(uid, steps)), (place) => place.mount);
      if (folder.mount !== above) return;
      const options = [
        `mode=${mode.toString(8)}`,
        ...(group === undefined ? [] : [`gid=${group}`]),
        ...(size === undefined ? [] : [`size=${size}`]),
        "nosuid,nodev",
      ];
      const target = `/proc/${process.pid}/fd/${folder.fd}`;
      await run("mount", ["--no-canonicalize", "-t", "tmpfs", "-o", options.join(","), "tmpfs", target], {
        timeout: MOUNT_DEADLINE,
        killSignal: "SIGKILL",
      });
    } catch (error) {
      throw new Error(`cannot mount a tmpfs: ${errorText(error)}; medium Memory needs an agent that may mount`);
    } finally {
      folder.close();
    }
  }

  #folder({ uid, steps, mode }: MemoryVolume): void {
    const top = this.#openTop();
    try {
      const folder = makeFolders(top, [uid, ...steps]);
      folder.chmod(mode);
      folder.close();
    } finally {
      top.close();
    }
  }

  /** The name is predictable, so another user may have created it first. */
  #openTop(): Place {
    const where = path.join(this.#sharedDir, this.#top);
    const top = Place.with(`${this.#sharedDir}/.`, (shared) => shared.folder(this.#top, 0o700));
    const { uid = -1, mode = 0 } = top?.stat ?? {};
    if (top !== undefined && uid === process.getuid?.() && (mode & 0o077) === 0) return top;
    top?.close();
    throw new Error(`${where} is in the way: expected a directory of this user that no other user can enter`);
  }

  #isOurs(): boolean {
    const top = path.join(this.#sharedDir, this.#top);
    return unless(["ENOENT"], false, () => Place.with(top, ({ stat }) => stat.uid === process.getuid?.()));
  }
}

/** Opens the last of them; none is a link. */
export function makeFolders(from: Place, steps: readonly string[], mode = 0o700): Place {
  let here = from;
  for (const step of steps) {
    const next = here.folder(step, mode);
    if (here !== from) here.close();
    if (next === undefined) throw new Error(`${step} is in the way: expected a directory`);
    here = next;
  }
  return here;
}

/**
 * Bytes that an emptyDir of medium Memory may hold: the least of the node's allocatable memory, the pod's memory limit and the
 * volume's own (the kubelet's calculateEmptyDirMemorySize). A limit counts for the pod when all of its containers have one.
 * Pure. `allocatable`: bytes; undefined = not known, then it does not count. Undefined = nothing bounds it.
 */
export function memoryVolumeSize(
  pod: Pick<Pod, "spec">,
  { emptyDir }: Volume,
  allocatable: number | undefined,
): number | undefined {
  const own = emptyDir?.sizeLimit === undefined ? undefined : quantityValue(parseQuantity(String(emptyDir.sizeLimit)));
  const known = [allocatable, podMemoryLimit(pod), own].filter((bytes) => bytes !== undefined && bytes > 0);
  return known.length === 0 ? undefined : Math.min(...(known as number[]));
}

function podMemoryLimit(pod: Pick<Pod, "spec">): number | undefined {
  const {
    containers,
    initContainers = [],
    resources,
  } = pod.spec as Pod["spec"] & { resources?: Container["resources"] | undefined };
  const all = [...containers, ...initContainers];
  const isBounded =
    resources?.limits?.memory !== undefined || all.every((own) => own.resources?.limits?.memory !== undefined);
  if (!isBounded) return undefined;
  const limit = podLimitList(pod as Pod).get("memory");
  return limit && quantityValue(limit);
}

type Container = Pod["spec"]["containers"][number];
