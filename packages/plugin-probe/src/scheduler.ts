/** One heap and one timer for all probes. */
import type { Clock, Timer } from "@hooklet/core";
import { Heap, type HeapEntry } from "@hooklet/utils";
import { Latencies } from "./latencies.js";

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
