/**
 * Time for ages: milliseconds that read like the wall clock when the agent starts and go on with the monotonic one. When somebody sets the
 * machine's clock, no image becomes a day older or younger.
 */
import type { Clock } from "@hooklet/core";

export class SteadyTime {
  readonly #offset: number;

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {
    this.#offset = clock.now() - clock.monotonic();
  }

  now(): number {
    return this.#offset + this.clock.monotonic();
  }

  /** The same moment on the wall clock as it stands now, for people. */
  wall(time: number): number {
    return time - this.now() + this.clock.now();
  }
}
