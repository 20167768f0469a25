/** The machine's way down, and who holds it up: what stands in for systemd-logind. */

import type { Clock, Timer } from "@hooklet/core";
import type { Lock, Logind } from "@hooklet/plugin-shutdown";

/** Seconds: logind's own InhibitDelayMaxSec. */
const DELAY = 5;

export class ScenarioLogind implements Logind {
  #delay = DELAY;
  /** After `off` nothing happens any more. */
  #state: "up" | "going" | "off" = "up";
  /** Until when it waits for those who hold it up. */
  #timer: Timer | undefined;
  readonly #locks = new Set<() => void>();
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly report: (state: "begun" | "cancelled" | "off") => void,
  ) {}

  async longestDelay(): Promise<number> {
    return this.#delay;
  }

  async setLongestDelay(seconds: number): Promise<void> {
    this.#delay = seconds;
  }

  async inhibit(): Promise<Lock> {
    if (this.#state !== "up") throw new Error("The operation inhibition has been requested for is already running");
    let tell: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const release = (): void => {
      if (!this.#locks.delete(release)) return;
      tell();
      if (this.#state === "going" && this.#locks.size === 0) this.#off();
    };
    this.#locks.add(release);
    return { release, gone };
  }

  async isGoingDown(): Promise<boolean> {
    return this.#state !== "up";
  }

  watch(changed: () => void, signal: AbortSignal): Promise<void> {
    return new Promise((_, reject) => {
      const end = (): void => {
        this.#listeners.delete(changed);
        reject(signal.reason);
      };
      if (signal.aborted) {
        end();
        return;
      }
      this.#listeners.add(changed);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** @throws Error when it is on its way already */
  begin(): void {
    if (this.#state !== "up")
      throw new Error(`the machine is ${this.#state === "off" ? "down" : "on its way down"} already`);
    this.#state = "going";
    this.report("begun");
    if (this.#locks.size === 0) this.#off();
    else this.#timer = this.clock.schedule(this.#delay * 1000, () => this.#off());
    this.#tell();
  }

  /** @throws Error when it is not on its way, or past that */
  cancel(): void {
    if (this.#state !== "going") {
      throw new Error(
        `the machine is ${this.#state === "off" ? "down" : "not on its way down"}: there is nothing to cancel`,
      );
    }
    this.#timer?.cancel();
    this.#state = "up";
    this.report("cancelled");
    this.#tell();
  }

  #off(): void {
    this.#timer?.cancel();
    this.#state = "off";
    this.report("off");
  }

  #tell(): void {
    for (const changed of this.#listeners) changed();
  }
}
