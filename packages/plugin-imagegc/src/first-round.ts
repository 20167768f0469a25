/** The kubelet begins its loops with a round; here the first one waits until all sources of pods have been read. */
import type { Clock, Timer } from "@hooklet/core";

/** Milliseconds between two looks whether they are. */
const PATIENCE = 1_000;

export class FirstRound {
  #timer: Timer | undefined;
  #stopped = false;

  /** `run` must not reject. */
  constructor(
    private readonly clock: Pick<Clock, "schedule">,
    private readonly isReady: () => boolean,
    private readonly run: () => Promise<void>,
  ) {}

  begin(): void {
    if (this.#stopped) return;
    this.#timer = this.clock.schedule(PATIENCE, () => {
      if (this.isReady()) void this.run();
      else this.begin();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }
}
