/** A folder of manifests, or one manifest file; its pods carry the mark `file`. */

import type { Pod } from "@hooklet/manifest";
import { namespacedName, readManifest, staticPod } from "@hooklet/manifest";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { Clock, Timer } from "../clock.js";
import { errorText } from "../errors.js";
import { errno } from "../lib/errno.js";
import { FaultLedger, faultOf } from "./faults.js";
import { FolderWatch } from "./folder-watch.js";
import { listManifests, type ManifestFile, NotAFileError, readManifestFile } from "./manifest-files.js";
import type { PodSource, SourceFault, SourceSink } from "./port.js";
import { keepUnchanged } from "./same-pod.js";

export interface ManifestFolderOptions {
  /** Absolute path of a folder or a file. It may appear later. */
  readonly path: string;
  readonly nodeName: string;
  /** Seconds between two full reads, beside the watch. */
  readonly fileCheckFrequency: number;
  readonly clock: Clock;
}

/** A file that does not parse may be in the middle of being written: milliseconds without a change until it counts as faulty. */
const SECOND_LOOK = 250;
/** However often it changes, it counts as faulty after this long; milliseconds. */
const LONGEST_WRITE = 5_000;
/** A folder that is missing is looked for this often; milliseconds. */
const MISSING_CHECK = 1_000;
const READERS = 8;
/** Key of the fault about the folder itself. */
const LISTING = "listing";

interface Entry {
  readonly stamp: string;
  /** The last good pods: they run on while the file is faulty. */
  readonly pods: readonly Pod[];
  readonly fault?: SourceFault;
  /** It has been faulty since, and that is told from `faultFrom` on (both monotonic). */
  readonly faultSince: number;
  readonly faultFrom: number;
}

const WELL = { faultSince: 0, faultFrom: 0 };

export function manifestFolder(options: ManifestFolderOptions): PodSource {
  return new ManifestFolder(options);
}

class ManifestFolder implements PodSource {
  readonly name = "manifests";
  readonly #options: ManifestFolderOptions;
  readonly #watch: FolderWatch;
  #entries = new Map<string, Entry>();
  #delivered: readonly Pod[] | undefined;
  /** File of each pod that was delivered, by its keys. */
  #owners: ReadonlyMap<string, string> = new Map();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #sink: SourceSink | undefined;
  #faults: FaultLedger | undefined;

  constructor(options: ManifestFolderOptions) {
    this.#options = options;
    this.#watch = new FolderWatch(options.path, options.clock, () => this.#wake());
  }

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    this.#faults = new FaultLedger(sink);
    this.#wake();
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watch.close();
    this.#timer?.cancel();
    await this.#running;
  }

  /** Reads at once, or once more when a read is under way. */
  #wake(): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer?.cancel();
    this.#running = this.#readAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #readAll(): Promise<void> {
    let wait = 0;
    do {
      this.#again = false;
      wait = await this.#read();
    } while (this.#again && !this.#stopped);
    if (!this.#stopped) this.#timer = this.#options.clock.schedule(wait, () => this.#wake());
  }

  /** One full read; resolves with the milliseconds until the next one is due. */
  async #read(): Promise<number> {
    const { path, fileCheckFrequency, clock } = this.#options;
    await this.#watch.refresh();
    let files: readonly ManifestFile[];
    try {
      files = await listManifests(path);
      this.#faults?.mended(LISTING);
    } catch (error) {
      return this.#missing(error);
    }
    await this.#update(files);
    if (this.#stopped) return 0;
    const now = clock.monotonic();
    this.#deliver(now);
    const pending = [...this.#entries.values()].filter(({ faultFrom, fault }) => fault && faultFrom > now);
    return Math.min(fileCheckFrequency * 1000, ...pending.map(({ faultFrom }) => faultFrom - now));
  }

  #missing(error: unknown): number {
    const { path, fileCheckFrequency } = this.#options;
    const gone = errno(error) === "ENOENT";
    const message = gone
      ? "it does not exist; create the folder, or set another one in sources.manifests"
      : `it cannot be read: ${errorText(error)}`;
    this.#faults?.report(LISTING, { where: path, message });
    // A kubelet, too, keeps what it has while the folder cannot be read, and stops all when it is gone.
    if (gone) {
      this.#entries.clear();
      this.#deliver(this.#options.clock.monotonic());
    }
    return Math.min(MISSING_CHECK, fileCheckFrequency * 1000);
  }

  async #update(files: readonly ManifestFile[]): Promise<void> {
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    // Map keeps the order of the names, whatever is read first.
    for (const { path } of files) entries.set(path, before.get(path) ?? { stamp: "", pods: [], ...WELL });
    const changed = files.filter(({ path, stamp }) => before.get(path)?.stamp !== stamp);
    const readers = Array.from({ length: READERS }, async () => {
      for (let file = changed.shift(); file !== undefined && !this.#stopped; file = changed.shift()) {
        entries.set(file.path, await this.#readFile(file, before.get(file.path)));
      }
    });
    await Promise.all(readers);
    this.#entries = entries;
  }

  async #readFile({ path, stamp }: ManifestFile, before: Entry | undefined): Promise<Entry> {
    const { nodeName, clock } = this.#options;
    const old = before?.pods ?? [];
    try {
      const bytes = await readManifestFile(path);
      const seen = clock.now();
      const identify = (pod: v1.Pod): Pod => staticPod(pod, { source: "file", where: path, nodeName, seen });
      const pods = await readManifest(bytes, path, identify, this.#sink?.provided);
      return { stamp, pods: keepUnchanged(old, pods), ...WELL };
    } catch (error) {
      const patience = error instanceof NotAFileError ? 0 : SECOND_LOOK;
      const now = clock.monotonic();
      const faultSince = before?.fault ? before.faultSince : now;
      const isTold = before?.fault !== undefined && before.faultFrom <= now;
      const faultFrom = isTold ? before.faultFrom : Math.min(now + patience, faultSince + LONGEST_WRITE);
      return { stamp, pods: old, fault: faultOf(error, path), faultSince, faultFrom };
    }
  }

  /** Which file each pod ran from, where that file still has it: a file that comes later takes no pod away. */
  #ownersThatStay(): Map<string, string> {
    const stay = new Map<string, string>();
    for (const [path, { pods }] of this.#entries) {
      for (const key of pods.flatMap(keysOf)) if (this.#owners.get(key) === path) stay.set(key, path);
    }
    return stay;
  }

  /** Tells the faults, and the whole set when it is another one than before. */
  #deliver(now: number): void {
    const faults = new Map<string, SourceFault>();
    const pods: Pod[] = [];
    const owners = this.#ownersThatStay();
    const taken = new Set<string>();
    for (const [path, { pods: own, fault, faultFrom }] of this.#entries) {
      if (fault !== undefined && faultFrom <= now) faults.set(path, fault);
      for (const pod of own) {
        const keys = keysOf(pod);
        const other = keys.find((key) => taken.has(key) || (owners.get(key) ?? path) !== path);
        if (other === undefined) {
          pods.push(pod);
          for (const key of keys) {
            owners.set(key, path);
            taken.add(key);
          }
        } else if (!faults.has(path)) {
          const message = `${other} is already in ${owners.get(other)}; it runs from there, rename or remove one of the two`;
          faults.set(path, { where: path, message });
        }
      }
    }
    for (const key of this.#faults?.keys() ?? []) {
      if (key !== LISTING && !faults.has(key)) this.#faults?.mended(key);
    }
    for (const [key, fault] of faults) this.#faults?.report(key, fault);
    this.#owners = owners;
    if (this.#delivered !== undefined && sameSet(this.#delivered, pods)) return;
    this.#delivered = pods;
    this.#sink?.desired(pods);
  }
}

/** What no two pods may share. */
function keysOf({ metadata }: Pod): readonly string[] {
  return [`pod ${namespacedName(metadata)}`, `uid ${metadata.uid}`];
}

function sameSet(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, i) => pod === b[i]);
}
