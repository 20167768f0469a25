/** Tells when something in a folder may have changed, bundled over a burst. */
import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock, Timer } from "@hooklet/utils";

/** A burst is over after this much quiet; milliseconds. */
const QUIET = 4;
/** Longest delay in milliseconds. */
const LONGEST = 200;

/** Watches one folder, or the folder of one file. Says too much rather than too little; what it misses the full reads find. */
export class FolderWatch {
  #watcher: FSWatcher | undefined;
  #watched: string | undefined;
  #timer: Timer | undefined;
  #since = 0;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly changed: () => void,
  ) {}

  /** Sees to it that what now stands at the path is watched; call it before each full read. */
  async refresh(): Promise<void> {
    const target = await this.#target();
    if (target?.id === this.#watched && this.#watcher !== undefined) return;
    this.#drop();
    if (target === undefined) return;
    try {
      this.#watcher = watch(target.folder, { persistent: false }, (_, name) => this.#event(name, target.file));
      this.#watcher.on("error", () => this.#drop());
      this.#watched = target.id;
    } catch {
      // No inotify watches left: the full reads go on.
      this.#drop();
    }
  }

  close(): void {
    this.#drop();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #target(): Promise<{ folder: string; file: string | undefined; id: string } | undefined> {
    try {
      const found = await stat(this.path);
      const folder = found.isDirectory() ? this.path : dirname(this.path);
      const { dev, ino } = found.isDirectory() ? found : await stat(folder);
      return { folder, file: found.isDirectory() ? undefined : basename(this.path), id: `${folder}:${dev}:${ino}` };
    } catch {
      return undefined;
    }
  }

  #event(name: string | null, file: string | undefined): void {
    // Mounted ConfigMaps are swapped by a link called ..data.
    if (file !== undefined && name !== null && name !== file && !name.startsWith("..")) return;
    const now = this.clock.monotonic();
    if (this.#timer === undefined) this.#since = now;
    else if (now - this.#since >= LONGEST) return;
    this.#timer?.cancel();
    this.#timer = this.clock.schedule(QUIET, () => {
      this.#timer = undefined;
      this.changed();
    });
  }

  #drop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = undefined;
  }
}
