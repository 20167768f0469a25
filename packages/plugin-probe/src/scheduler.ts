/** One heap and one timer for all probes. */

import type { Clock, Timer } from "@hooklet/core";
import { Heap, type HeapEntry } from "@hooklet/utils";

export interface Job extends HeapEntry {
  /** Monotonic milliseconds. */
  due: number;
  run(): void;
}

/** Milliseconds in which steps are begun before others get their turn: a burst must not keep answers waiting. */
const TURN = 5;

export class Scheduler {
  /** How late steps began. */
  readonly lateness = new Latencies();
  readonly #heap = new Heap<Job>((a, b) => a.due < b.due);
  #timer: Timer | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #running = false;
  #stopped = false;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#heap.size;
  }

  /** Runs the job at `due` (monotonic milliseconds), once; a later call for the same job replaces the earlier one. */
  at(job: Job, due: number): void {
    if (this.#stopped) return;
    job.due = due;
    this.#heap.put(job);
    this.#arm();
  }

  cancel(job: Job): void {
    this.#heap.remove(job);
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    for (let job = this.#heap.peek(); job !== undefined; job = this.#heap.peek()) this.#heap.remove(job);
  }

  #arm(): void {
    const due = this.#heap.peek()?.due ?? Number.POSITIVE_INFINITY;
    if (due === this.#armedFor || this.#running) return;
    this.#timer?.cancel();
    this.#armedFor = due;
    if (due === Number.POSITIVE_INFINITY) return;
    // Timers know whole milliseconds: one that is cut off would wake us once too early.
    this.#timer = this.clock.schedule(Math.ceil(due - this.clock.monotonic()), () => this.#run());
  }

  #run(): void {
    // Each step that begins would otherwise move the timer.
    this.#running = true;
    const began = this.clock.monotonic();
    for (let job = this.#heap.peek(); job !== undefined; job = this.#heap.peek()) {
      const now = this.clock.monotonic();
      if (job.due > now || now - began > TURN) break;
      this.#heap.remove(job);
      this.lateness.add(now - job.due);
      job.run();
    }
    this.#running = false;
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#timer = undefined;
    if (!this.#stopped) this.#arm();
  }
}

// How long something took, over many times: mean and quantiles in about 200 bytes.

/**
 * Each bucket is a factor of the square root of 2 wide; the first ends at 0.25 ms, the last begins at about 8 s. V8 keeps
 * up to 64 bytes with the array's object, and more in a separate block.
 */
const BUCKETS = 32;
const FIRST = 0.25;

export class Latencies {
  #count = 0;
  #sum = 0;
  #longest = 0;
  #buckets: Uint16Array | undefined;

  add(milliseconds: number): void {
    this.#buckets ??= new Uint16Array(BUCKETS);
    this.#count++;
    this.#sum += milliseconds;
    this.#longest = Math.max(this.#longest, milliseconds);
    const octaves = Math.log2(Math.max(milliseconds, FIRST) / FIRST);
    const index = Math.min(BUCKETS - 1, Math.ceil(octaves * 2));
    const seen = this.#buckets[index] ?? 0;
    // Full: what is old counts half from now on.
    if (seen === 65_535) this.#buckets = this.#buckets.map((value) => value >> 1);
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Milliseconds; undefined before the first. */
  get mean(): number | undefined {
    return this.#count === 0 ? undefined : this.#sum / this.#count;
  }

  /** Milliseconds, never too low: at most 41 % too high up to 8 s, beyond that the longest of all; undefined before the first. */
  quantile(q: number): number | undefined {
    if (this.#buckets === undefined) return undefined;
    const total = this.#buckets.reduce((sum, value) => sum + value, 0);
    let left = Math.ceil(total * q);
    const index = this.#buckets.findIndex((value) => {
      left -= value;
      return left <= 0;
    });
    return index === BUCKETS - 1 ? this.#longest : Math.min(this.#longest, FIRST * 2 ** (index / 2));
  }
}
