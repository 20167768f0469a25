/**
 * One agent after another in one process: an uncaught error that may have left broken state ends an agent's life, and
 * the next one takes the pods over. Too many lives in a short time end the process: its supervisor waits before the next one.
 */

import type { UncaughtKind } from "@hooklet/core/host";
import { type Clock, errorText } from "@hooklet/utils";

/** Lives within the time below. */
const MAX_LIVES = 5;
const WITHIN_MILLISECONDS = 10 * 60_000;

/** What is asked of the agent that lives now. */
export interface Living {
  uncaught(kind: UncaughtKind, error: unknown): Promise<boolean>;
}

export class Lives {
  readonly #began: number[] = [];
  #living: Living | undefined;
  #end: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ports: { exit(code: number): void; say(text: string): void },
  ) {}

  /** A life begins: from now on it handles uncaught errors. */
  begin(living: Living): void {
    this.#living = living;
    this.#end = undefined;
    this.#began.push(this.clock.monotonic());
  }

  /** The agent is up, and can be stopped; resolves when it has to end. */
  up(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The life that ended did so because it was asked to. */
  asked(): void {
    this.#began.pop();
  }

  /** Whether another life may begin. */
  get mayGoOn(): boolean {
    const since = this.clock.monotonic() - WITHIN_MILLISECONDS;
    return this.#began.filter((began) => began > since).length < MAX_LIVES;
  }

  /** Where it arrived: the agent finds out for which pod. */
  heard(kind: UncaughtKind, error: unknown): void {
    if (this.#living === undefined) {
      this.#exit(kind, error);
      return;
    }
    void this.#living.uncaught(kind, error).then((whole) => {
      if (whole) return;
      if (this.#end === undefined) this.#exit(kind, error);
      else this.#end();
    });
  }

  /** What is half begun cannot be stopped in order; the pods run on. */
  #exit(kind: UncaughtKind, error: unknown): void {
    this.ports.say(`error: ${kind} before the agent was up: ${errorText(error)}`);
    this.ports.exit(1);
  }
}
