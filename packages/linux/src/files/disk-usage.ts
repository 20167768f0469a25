/**
 * Disk usage of folders, counted by `du` in subprocesses: a tree of a million files costs the agent nothing. Queued folders
 * are counted together, so that hundreds of them cost a few processes.
 */
import { setMaxListeners } from "node:events";
import { type Clock, errorText, invalid } from "@hooklet/utils";
import { countedTooLong, DISK_USAGE_DEADLINE, uncounted } from "../bounded.js";
import type { DiskUsage } from "../host.js";
import { type DuAnswer, du, faultOf } from "./du.js";

/** Concurrent runs; further requests wait. */
const AT_ONCE = 2;
/** Folders of one run: starting a process costs the agent more than anything else here. */
const TOGETHER = 256;
/** After a run failed, its folders are counted in so many smaller ones, until the one at fault is alone. */
const PARTS = 8;
const MOST_HUNG = 1000;

interface Wanted {
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  /** Folders of a run that counts it: less after one with it failed. */
  readonly together: number;
  resolve(usage: DiskUsage): void;
  reject(error: unknown): void;
}

/** `program`: GNU's du, or what has its options `-s -x -0 --block-size --inodes`. */
export function createDiskUsage(
  clock: Clock,
  program = "du",
): (path: string, signal?: AbortSignal) => Promise<DiskUsage> {
  const counter = new DiskUsageCounter(clock, program);
  return async (path, signal) => {
    if (!path.startsWith("/")) throw invalid("diskUsage", "an absolute path", path);
    signal?.throwIfAborted();
    return counter.count(path, signal);
  };
}

class DiskUsageCounter {
  #waiting: Wanted[] = [];
  #runs = 0;
  /** Paths that hung the last time: of these one is counted at a time, so that the others keep their turns. */
  readonly #hung = new Set<string>();
  #asksHung = false;

  constructor(
    private readonly clock: Clock,
    private readonly program: string,
  ) {}

  count(path: string, signal: AbortSignal | undefined): Promise<DiskUsage> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal?.reason);
      // One plugin requests hundreds of folders with its one signal: no leak, as Node would warn from ten on.
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener("abort", onAbort, { once: true });
      const over = (): void => signal?.removeEventListener("abort", onAbort);
      this.#add({
        path,
        signal,
        together: this.#hung.has(path) ? 1 : TOGETHER,
        resolve: (usage) => {
          over();
          resolve(usage);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
    });
  }

  #add(wanted: Wanted): void {
    this.#waiting.push(wanted);
    // Once all requests of this turn are queued.
    queueMicrotask(() => this.#start());
  }

  #start(): void {
    while (this.#runs < AT_ONCE) {
      this.#waiting = this.#waiting.filter(({ signal }) => !signal?.aborted);
      const batch = takeTogether(this.#waiting.filter((one) => !this.#asksHung || !this.#isHung(one)));
      if (batch.length === 0) return;
      const asksHung = batch.some((one) => this.#isHung(one));
      if (asksHung) this.#asksHung = true;
      this.#waiting = this.#waiting.filter((one) => !batch.includes(one));
      this.#runs++;
      void this.#run(batch).finally(() => {
        this.#runs--;
        if (asksHung) this.#asksHung = false;
        this.#start();
      });
    }
  }

  #isHung({ path, together }: Wanted): boolean {
    return together === 1 && this.#hung.has(path);
  }

  #rememberHung(path: string): void {
    // Paths of pods that are gone would pile up.
    if (this.#hung.size >= MOST_HUNG) this.#hung.clear();
    this.#hung.add(path);
  }

  /** Never rejects: the callers get the errors. */
  async #run(batch: readonly Wanted[]): Promise<void> {
    const stop = new AbortController();
    const late = this.clock.schedule(DISK_USAGE_DEADLINE * 1000, () => stop.abort());
    // Without waiting callers du is stopped.
    const leave = (): void => {
      if (batch.every(({ signal }) => signal?.aborted)) stop.abort();
    };
    // Many of a batch may come with one signal.
    const signals = new Set(batch.flatMap(({ signal }) => signal ?? []));
    for (const signal of signals) signal.addEventListener("abort", leave, { once: true });
    try {
      const paths = batch.map(({ path }) => path);
      const [bytes, inodes] = await Promise.all([
        du(this.program, "--block-size=1", paths, stop.signal),
        du(this.program, "--inodes", paths, stop.signal),
      ]);
      this.#resolve(batch, bytes, inodes);
    } catch (error) {
      for (const { path, reject } of batch) reject(uncounted(path, errorText(error)));
    } finally {
      late.cancel();
      for (const signal of signals) signal.removeEventListener("abort", leave);
    }
  }

  #resolve(batch: readonly Wanted[], bytes: DuAnswer, inodes: DuAnswer): void {
    const fault = faultOf(bytes.complaints) ?? faultOf(inodes.complaints);
    // Smaller runs find the folder that a complaint is about.
    const trusted = fault === undefined || batch.length > 1;
    const fewer = Math.ceil(batch.length / PARTS);
    let hung = false;
    for (const wanted of batch) {
      const usedBytes = bytes.totals.get(wanted.path);
      const inodesUsed = inodes.totals.get(wanted.path);
      const counted = usedBytes !== undefined && inodesUsed !== undefined;
      if (counted) this.#hung.delete(wanted.path);
      if (counted && fault === undefined) wanted.resolve({ usedBytes, inodesUsed });
      // A container can close a folder of its volume, or make it fail: what it hides so must not make the rest count as nothing.
      else if (counted && !trusted) wanted.resolve({ usedBytes, inodesUsed, incomplete: fault });
      else if (counted && trusted) this.#add({ ...wanted, together: fewer });
      else if ((bytes.stopped || inodes.stopped) && !hung) {
        // The first one without a result is where it hangs; the others had no turn.
        hung = true;
        this.#rememberHung(wanted.path);
        wanted.reject(countedTooLong(wanted.path));
      } else if (batch.length > 1) this.#add({ ...wanted, together: hung ? wanted.together : fewer });
      else wanted.reject(uncounted(wanted.path, fault ?? whyNone(this.program, bytes)));
    }
  }
}

function whyNone(program: string, { complaints, code }: DuAnswer): string {
  return complaints.trim() || `${program} ended with ${code} and printed no total`;
}

/** The first of the line, with those that can be counted in the same run: du passes over what lies in what it counted already. */
function takeTogether(waiting: readonly Wanted[]): readonly Wanted[] {
  const most = waiting[0]?.together ?? 0;
  const batch: Wanted[] = [];
  const taken = new Set<string>();
  const above = new Set<string>();
  for (const wanted of waiting) {
    if (batch.length === most) break;
    const path = wanted.path.replace(/\/+$/, "");
    const parents = parentsOf(path);
    if (wanted.together !== most || taken.has(path) || above.has(path) || parents.some((one) => taken.has(one)))
      continue;
    batch.push(wanted);
    taken.add(path);
    for (const parent of parents) above.add(parent);
  }
  return batch;
}

/** Of `/a/b`: `` and `/a`. */
function parentsOf(path: string): readonly string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
