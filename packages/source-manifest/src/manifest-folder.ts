/** A folder of manifests, or one manifest file; its pods carry the mark `file`. */

import type { PodSource, SourceSink } from "@hooklet/core/host";
import { keepUnchanged, type Pod, readManifest, staticPod } from "@hooklet/manifest";
import { type Clock, errorText, type Timer, whenGone } from "@hooklet/utils";
import type * as v1 from "kubernetes-types/core/v1.js";
import { FaultLedger, faultOf } from "./faults.js";
import { FolderWatch } from "./folder-watch.js";
import {
  type Entry,
  listManifests,
  type ManifestFile,
  NotAFileError,
  readManifestFile,
  sameSet,
  takeUnowned,
  wholeSet,
} from "./manifest-files.js";

export interface ManifestFolderOptions {
  /** Absolute path of a folder or a file. It may appear later. */
  readonly path: string;
  readonly nodeName: string;
  /** Seconds between two full reads, in addition to the watch. */
  readonly fileCheckFrequency: number;
  readonly clock: Clock;
}

/** A file that does not parse may be in the middle of being written: milliseconds without a change until it counts as faulty. */
const SECOND_LOOK = 250;
/** However often it changes, it counts as faulty after this long; milliseconds. */
const LONGEST_WRITE = 5_000;
/** Milliseconds between checks for a missing folder. */
const MISSING_CHECK = 1_000;
/** Files that are read at the same moment. */
const AT_ONCE = 8;
/** Key of the fault about the folder itself. */
const LISTING = "listing";

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
  #owners = new Map<string, string>();
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

  placeOf(uid: string): string | undefined {
    for (const [path, { pods }] of this.#entries) if (pods.some(({ metadata }) => metadata.uid === uid)) return path;
    return undefined;
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
    let files: readonly ManifestFile[] | undefined;
    try {
      files = await whenGone(undefined, () => listManifests(path));
    } catch (error) {
      return this.#unlisted(`it cannot be read: ${errorText(error)}`);
    }
    if (files === undefined) return this.#missing();
    this.#faults?.mended(LISTING);
    await this.#update(files);
    if (this.#stopped) return 0;
    const now = clock.monotonic();
    this.#deliver(now);
    const pending = [...this.#entries.values()].filter(({ faultFrom, fault }) => fault && faultFrom > now);
    return Math.min(fileCheckFrequency * 1000, ...pending.map(({ faultFrom }) => faultFrom - now));
  }

  /** A kubelet, too, keeps what it has while the folder cannot be read, and stops all when it is gone. */
  #missing(): number {
    const wait = this.#unlisted("it does not exist; create the directory, or set another one in sources.manifests");
    this.#entries.clear();
    this.#deliver(this.#options.clock.monotonic());
    return wait;
  }

  #unlisted(message: string): number {
    const { path, fileCheckFrequency } = this.#options;
    this.#faults?.report(LISTING, { where: path, message });
    return Math.min(MISSING_CHECK, fileCheckFrequency * 1000);
  }

  async #update(files: readonly ManifestFile[]): Promise<void> {
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    // Map keeps the order of the names, in whatever order the files are read.
    for (const { path } of files) entries.set(path, before.get(path) ?? { stamp: "", pods: [], ...WELL });
    const changed = files.filter(({ path, stamp }) => before.get(path)?.stamp !== stamp);
    for (let from = 0; from < changed.length && !this.#stopped; from += AT_ONCE) {
      const some = changed.slice(from, from + AT_ONCE);
      await Promise.all(
        some.map(async (file) => entries.set(file.path, await this.#readFile(file, before.get(file.path)))),
      );
      if (from + AT_ONCE < changed.length) this.#deliverFirst(some, entries);
    }
    this.#entries = entries;
  }

  /** Pods that are new need not wait until the last of many files is read. Everything else is delivered with the whole set. */
  #deliverFirst(files: readonly ManifestFile[], entries: ReadonlyMap<string, Entry>): void {
    if (this.#delivered === undefined || this.#stopped) return;
    const set = takeUnowned(
      files.map(({ path }) => path),
      entries,
      this.#owners,
    );
    if (set.length > 0) this.#sink?.changed({ set });
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
      const isReported = before?.fault !== undefined && before.faultFrom <= now;
      const faultFrom = isReported ? before.faultFrom : Math.min(now + patience, faultSince + LONGEST_WRITE);
      return { stamp, pods: old, fault: faultOf(error, path), faultSince, faultFrom };
    }
  }

  /** Tells the faults, and the whole set when it is another one than before. */
  #deliver(now: number): void {
    const { pods, faults, owners } = wholeSet(this.#entries, this.#owners, now);
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
