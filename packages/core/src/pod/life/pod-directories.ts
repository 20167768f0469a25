/**
 * The pods' directories as they lie on the node, also those of pods that nobody knows any more: an agent was killed while it
 * removed a pod, or the runtime forgot it. Which of them go, a plugin decides; here is how they go.
 */
import { mkdirSync, renameSync } from "node:fs";
import { opendir, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { unless, whenGone } from "../../lib/errno.js";
import type { PodDirectory, PodVolumeDirectory } from "../../plugin/contract.js";
import { RuntimeError } from "../../runtime/errors.js";
import { mountsBelow, removePodDirectory, SUB_PATHS } from "./sub-path-mounts.js";

const EMPTY_DIR = "kubernetes.io~empty-dir";

export class PodDirectories {
  readonly #pods: string;
  /** Directories on their way out: a pod that comes back under the same uid gets one of its own meanwhile. */
  readonly #leaving: string;
  #turn: Promise<unknown> = Promise.resolve();

  /** `isKnown`: whether there is a pod of this uid, or something of it runs that may become one. */
  constructor(
    rootDir: string,
    private readonly isKnown: (uid: string) => boolean,
  ) {
    this.#pods = path.join(rootDir, "pods");
    this.#leaving = path.join(rootDir, "leaving-pods");
  }

  /** Ends removals that a kill of the agent interrupted. To be called once, at its start. */
  finishRemovals(): Promise<void> {
    return this.#oneAtATime(async () => {
      for (const uid of await foldersOf(this.#leaving)) await this.#clear(uid);
    });
  }

  /** Their uids. */
  list(): Promise<readonly string[]> {
    return foldersOf(this.#pods);
  }

  /** Rejects with the system's error when it cannot be read. */
  async look(uid: string): Promise<PodDirectory> {
    const directory = await realpath(this.#of(this.#pods, uid));
    const mounts = new Set(mountsBelow(directory));
    const volumes: PodVolumeDirectory[] = [];
    const root = path.join(directory, "volumes");
    for (const plugin of await foldersOf(root)) {
      for (const entry of await entriesOf(path.join(root, plugin))) {
        const place = path.join(root, plugin, entry.name);
        // Who looks into a volume that is mounted may hang with it.
        const content = mounts.has(place) ? "mounted" : entry.isDirectory() ? await contentOf(place) : "no directory";
        volumes.push({ plugin, name: entry.name, path: place, content });
      }
    }
    return { uid, path: directory, volumes, mounts: [...mounts].filter((mount) => !isOwn(directory, mount)) };
  }

  /** Unmounts what the agent mounted there, and removes it with all that is in it. Fine with one that is gone. */
  remove(uid: string): Promise<void> {
    return this.#oneAtATime(() => this.#remove(uid));
  }

  async #remove(uid: string): Promise<void> {
    const from = this.#of(this.#pods, uid);
    await this.#clear(uid);
    if (this.isKnown(uid)) throw new RuntimeError("failed-precondition", `the directory of pod ${uid} is in use`);
    mkdirSync(this.#leaving, { recursive: true, mode: 0o750 });
    const isThere = unless(["ENOENT"], false, () => {
      // Nothing comes between the look and this: a pod that is back by now has no directory yet.
      renameSync(from, this.#of(this.#leaving, uid));
      return true;
    });
    if (isThere) await this.#clear(uid);
  }

  async #clear(uid: string): Promise<void> {
    await removePodDirectory(this.#of(this.#leaving, uid));
  }

  #oneAtATime(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #of(folder: string, uid: string): string {
    if (uid === "" || uid === "." || uid === ".." || path.basename(uid) !== uid) {
      throw new RuntimeError("invalid-argument", `expected the uid of a pod, found ${JSON.stringify(uid)}`);
    }
    return path.join(folder, uid);
  }
}

/** Sub paths, and emptyDirs in memory: the agent mounts both and may unmount them. */
function isOwn(directory: string, mount: string): boolean {
  const [first, plugin, ...rest] = path.relative(directory, mount).split(path.sep);
  return first === SUB_PATHS || (first === "volumes" && plugin === EMPTY_DIR && rest.length === 1);
}

async function contentOf(directory: string): Promise<"empty" | "filled"> {
  const open = await opendir(directory);
  try {
    return (await open.read()) === null ? "empty" : "filled";
  } finally {
    await open.close();
  }
}

async function foldersOf(directory: string): Promise<readonly string[]> {
  return (await entriesOf(directory)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function entriesOf(directory: string) {
  return whenGone([], () => readdir(directory, { withFileTypes: true }));
}
