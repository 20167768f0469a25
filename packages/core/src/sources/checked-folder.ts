/** A folder of checked private files, one per object: a damaged file costs only itself. */

import { join } from "node:path";
import { disk, encodeChecked, openCheckpoint, writeFileAtomic } from "@hooklet/linux";
import { ConfigAnnotations, namespacedName, type Pod } from "@hooklet/manifest";
import { type Clock, errorText, type Json, NodeAgentError, whenGone } from "@hooklet/utils";
import type { SourceFault } from "./port.js";

interface CheckedFolderOptions {
  /** Absolute; `prepare` makes it. */
  readonly folder: string;
  readonly clock: Clock;
  /** Whether a file of this name is one of ours. */
  readonly isName: RegExp;
  /** For messages: `pod`, `object`; and all of them: `the pods that were applied`. */
  readonly one: string;
  readonly all: string;
}

export class CheckedFolder {
  constructor(private readonly options: CheckedFolderOptions) {}

  /** All stored objects by file name, in order. Damaged files are moved aside; half-written ones are removed. */
  async read(fault: (fault: SourceFault) => void): Promise<readonly (readonly [name: string, value: Json])[]> {
    const found: (readonly [string, Json])[] = [];
    for (const name of await this.#names(fault)) {
      const value = await this.#readOne(name, fault);
      if (value !== undefined) found.push([name, value]);
    }
    return found;
  }

  /** A file that is whole and holds something else than its name says. */
  misnamed(name: string, fault: (fault: SourceFault) => void): void {
    const { one } = this.options;
    const message = `it does not hold the ${one} that its name says; apply the ${one} again and delete this file`;
    fault({ where: join(this.options.folder, name), message });
  }

  /** Makes the folder; before the first of several writes. Where it cannot be made, the write says why. */
  async prepare(): Promise<void> {
    await disk.mkdir(this.options.folder, { recursive: true, mode: 0o700 }).catch(() => {});
  }

  /** Writes into the existing folder. Rejects with STATE_UNWRITABLE; the old content is kept then. */
  write(name: string, value: Json): Promise<void> {
    return writeFileAtomic(join(this.options.folder, name), encodeChecked(value));
  }

  /** Rejects with STATE_UNWRITABLE; a file that is gone is fine. */
  async remove(name: string): Promise<void> {
    const path = join(this.options.folder, name);
    try {
      await disk.rm(path, { force: true });
    } catch (cause) {
      const text = `Cannot delete ${path}: ${errorText(cause)}; the ${this.options.one} stays; make the directory writable`;
      throw new NodeAgentError("STATE_UNWRITABLE", text, { cause });
    }
  }

  async #names(fault: (fault: SourceFault) => void): Promise<readonly string[]> {
    const { all, folder, isName } = this.options;
    try {
      const names = await whenGone([], () => disk.readdir(folder));
      const leftovers = names.filter((name) => /^\..*\.tmp$/.test(name));
      await Promise.allSettled(leftovers.map((name) => disk.rm(join(folder, name))));
      return names.filter((name) => isName.test(name)).sort();
    } catch (error) {
      fault({ where: folder, message: `${all} cannot be read: ${errorText(error)}` });
      return [];
    }
  }

  async #readOne(name: string, fault: (fault: SourceFault) => void): Promise<Json | undefined> {
    const { clock, folder, one } = this.options;
    const path = join(folder, name);
    const tell = (message: string): void => fault({ where: path, message });
    try {
      const file = openCheckpoint(path, {
        clock,
        onDamaged: (_, aside, why) =>
          tell(`${why}; ${aside ? `renamed to ${aside}` : "left in place"}; apply its ${one} again`),
      });
      return await file.read();
    } catch (error) {
      tell(errorText(error));
      return undefined;
    }
  }
}

// The pods of the control socket on disk: one checked file each, so that a damaged one costs no other.

const FILE = /^([A-Za-z0-9-]{1,64})\.json$/;

export class ApiPodFiles {
  readonly #files: CheckedFolder;

  /** `folder`: absolute; made when needed. */
  constructor(folder: string, clock: Clock) {
    this.#files = new CheckedFolder({ folder, clock, isName: FILE, one: "pod", all: "the pods that were applied" });
  }

  /**
   * All stored pods, one per name: of two, which a crash in the middle of a replacement leaves, the newer one.
   * Damaged files are moved aside and reported as faults.
   */
  async read(fault: (fault: SourceFault) => void): Promise<readonly Pod[]> {
    const pods = new Map<string, Pod>();
    for (const [name, value] of await this.#files.read(fault)) {
      const pod = (value ?? {}) as unknown as Pod;
      if (`${pod.metadata?.uid}.json` !== name || !Array.isArray(pod.spec?.containers)) {
        this.#files.misnamed(name, fault);
        continue;
      }
      const key = namespacedName(pod.metadata);
      const other = pods.get(key);
      const [newer, older] = other !== undefined && seen(other) > seen(pod) ? [other, pod] : [pod, other];
      pods.set(key, newer);
      if (older !== undefined) await this.remove(older).catch(() => {});
    }
    return [...pods.values()];
  }

  /** All of them or none. Rejects with STATE_UNWRITABLE. */
  async add(pods: readonly Pod[]): Promise<void> {
    await this.#files.prepare();
    const written = await Promise.allSettled(pods.map((pod) => this.#files.write(fileOf(pod), pod as unknown as Json)));
    const failed = written.find(({ status }) => status === "rejected");
    if (failed === undefined) return;
    await Promise.allSettled(pods.map((pod) => this.remove(pod)));
    throw (failed as PromiseRejectedResult).reason;
  }

  /** Rejects with STATE_UNWRITABLE; a file that is gone is fine. */
  remove(pod: Pod): Promise<void> {
    return this.#files.remove(fileOf(pod));
  }
}

function fileOf({ metadata: { uid } }: Pod): string {
  return `${uid}.json`;
}

/** RFC 3339 of one zone and width: sorts as text. */
function seen({ metadata }: Pod): string {
  return metadata.annotations?.[ConfigAnnotations.seen] ?? "";
}
