/** Fires the `tick` hooks, one timer per tapped period. */
import { agentStopping, type Clock, type Timer } from "@hooklet/utils";
import type { NodeHooks } from "../hooks/hooks.js";

export class Ticks {
  readonly #timers = new Map<number, Timer>();
  #stop = new AbortController();

  constructor(
    private readonly hooks: NodeHooks,
    private readonly clock: Clock,
    private readonly report: (where: string, error: unknown) => void,
  ) {}

  start(): void {
    for (const period of this.hooks.tick.periods) this.#schedule(period, this.clock.monotonic() + period * 1000);
  }

  stop(): void {
    this.#stop.abort(agentStopping());
    for (const timer of this.#timers.values()) timer.cancel();
  }

  /** Periods are kept without drift: the next tick is due one period after this one was. */
  #schedule(period: number, due: number): void {
    const run = (): void => {
      const { signal } = this.#stop;
      this.hooks.tick
        .for(period)
        .promise({ now: this.clock.now(), signal })
        .catch((error: unknown) => this.report(`tick ${period}s`, error));
      this.#schedule(period, Math.max(due + period * 1000, this.clock.monotonic()));
    };
    this.#timers.set(period, this.clock.schedule(due - this.clock.monotonic(), run));
  }
}
