import type { Clock, Timer } from "@hooklet/core";
import { Heap, type HeapEntry } from "@hooklet/utils";

/** 2026-01-01T00:00:00Z. */
const DEFAULT_START = 1_767_225_600_000;

/** Timers in a row at one instant; more is a timer that starts itself again with delay 0. */
const MAX_TIMERS_PER_INSTANT = 1_000_000;

interface Waiting extends HeapEntry {
  readonly due: number;
  /** Of insertion. */
  readonly order: number;
  readonly run: () => void;
}

export interface VirtualClockOptions {
  /** Wall-clock time of the start, milliseconds since the epoch. */
  readonly start?: number;
}

/**
 * A clock whose time moves only when a test says so. Timers run in order of their time, ties in order of insertion;
 * before each one all promises that are ready have run, and file requests have ended, so the same test gives the
 * same order every time.
 */
export class VirtualClock implements Clock {
  readonly #timers = new Heap<Waiting>((a, b) => a.due < b.due || (a.due === b.due && a.order < b.order));
  #elapsed = 0;
  #wallOffset: number;
  #order = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: VirtualClockOptions = {}) {
    this.#wallOffset = options.start ?? DEFAULT_START;
  }

  now(): number {
    return this.#wallOffset + this.#elapsed;
  }

  /** Milliseconds since the clock was made. */
  monotonic(): number {
    return this.#elapsed;
  }

  schedule(milliseconds: number, run: () => void): Timer {
    if (Number.isNaN(milliseconds)) {
      throw new TypeError("A timer needs a delay in milliseconds, got NaN. Check the arithmetic at the caller.");
    }
    const due = this.#elapsed + Math.max(0, milliseconds);
    const entry: Waiting = { due, order: this.#order++, run, place: -1 };
    this.#timers.put(entry);
    return { cancel: () => this.#timers.remove(entry) };
  }

  /** How many timers wait. A test that ends with more than it began with leaks timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the wall clock alone, forwards or back, as NTP or a person does: no timer runs. */
  jump(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }

  /** Lets what is ready run, without time passing. */
  settle(): Promise<void> {
    return this.advance(0);
  }

  /**
   * Lets `milliseconds` pass. Every timer due by then runs at its own time, also those that earlier ones start. Calls
   * queue up. Rejects with what a timer throws: time then stands at that timer.
   */
  async advance(milliseconds: number): Promise<void> {
    await this.#go(milliseconds, () => false);
  }

  /**
   * Advances time until `predicate` holds, checked after each instant in which a timer ran, for at most
   * `limit` milliseconds (default one hour). False: it did not hold, and the whole limit has passed.
   */
  advanceUntil(predicate: () => boolean, limit = 3_600_000): Promise<boolean> {
    return this.#go(limit, predicate);
  }

  #go(milliseconds: number, stop: () => boolean): Promise<boolean> {
    if (!(milliseconds >= 0 && Number.isFinite(milliseconds))) {
      return Promise.reject(
        new RangeError(`Time passes forwards: expected milliseconds of 0 or more, got ${milliseconds}.`),
      );
    }
    const run = this.#turn.then(() => this.#runTo(this.#elapsed + milliseconds, stop));
    this.#turn = run.catch(() => {});
    return run;
  }

  async #runTo(target: number, stop: () => boolean): Promise<boolean> {
    let atThisInstant = 0;
    for (;;) {
      await settle();
      const next = this.#timers.peek();
      // Predicates see whole instants: all timers of an instant have run.
      if ((next === undefined || next.due > this.#elapsed) && stop()) return true;
      if (next === undefined || next.due > target) break;
      atThisInstant = next.due > this.#elapsed ? 0 : atThisInstant + 1;
      if (atThisInstant > MAX_TIMERS_PER_INSTANT) {
        throw new Error(
          `More than ${MAX_TIMERS_PER_INSTANT} timers ran without time passing: one starts itself again with delay 0.`,
        );
      }
      this.#elapsed = next.due;
      this.#timers.remove(next);
      next.run();
    }
    this.#elapsed = target;
    return stop();
  }
}

// More turns than any file request needs; keeps a read of a fifo from hanging a test.

const MAX_FILE_TURNS = 200_000;
/** Immediates in a row that are waited for: code that yields now and then needs a few, an endless chain never ends. */
const MAX_IMMEDIATE_TURNS = 100;

/** File requests that are under way; not open handles such as watches, nor what listens on a socket. */
const FILE_REQUEST = /^(FSReq|CloseReq)/;

/** Immediates of this file that have not run: several clocks may settle at once, and must not wait for each other. */
let ownImmediates = 0;

function turn(): Promise<void> {
  ownImmediates += 1;
  return new Promise((resolve) =>
    setImmediate(() => {
      ownImmediates -= 1;
      resolve();
    }),
  );
}

function busyWith(): "files" | "immediates" | undefined {
  let immediates = 0;
  for (const name of process.getActiveResourcesInfo()) {
    if (FILE_REQUEST.test(name)) return "files";
    if (name === "Immediate") immediates += 1;
  }
  return immediates > ownImmediates ? "immediates" : undefined;
}

/**
 * Lets promises, immediates and file requests that are under way run to their end, in real time and without timers.
 * So virtual time does not move on while code under test still reads or writes a file.
 */
async function settle(): Promise<void> {
  await turn();
  const left = { files: MAX_FILE_TURNS, immediates: MAX_IMMEDIATE_TURNS };
  for (let busy = busyWith(); busy !== undefined && left[busy] > 0; busy = busyWith()) {
    left[busy] -= 1;
    await turn();
  }
}

/** Turns given to real work (a socket, a child) before virtual time moves for it. */
const PATIENT_TURNS = 500;

/**
 * The outcome of `work`. Virtual time passes for it only when it does not come by itself, and for at most an hour.
 *
 * @param what names the work in the error of one that never settles
 */
export async function during<T>(clock: VirtualClock, what: string, work: Promise<T>): Promise<T> {
  let done = false;
  const watched = work.finally(() => {
    done = true;
  });
  watched.catch(() => {});
  for (let turns = 0; turns < PATIENT_TURNS && !done; turns++) await clock.settle();
  if (!(await clock.advanceUntil(() => done))) {
    throw new Error(`${what} did not settle within an hour of virtual time.`);
  }
  return watched;
}
