/** A hard threshold does not wait for the grace period of a soft eviction (kubernetes/kubernetes issue 124081). */
import type { Evict, PodEviction } from "./evict.js";
import { observationsOf, type Statistics } from "./observations.js";
import { IMMEDIATE_GRACE_PERIOD_SECONDS } from "./round.js";
import { type EvictionThreshold, isHard, thresholdsMet } from "./thresholds.js";

export class Escalation {
  readonly #slow = new Set<PodEviction>();

  /** `evict`, with what takes longer than a hard eviction kept in sight. */
  watching(evict: Evict): Evict {
    return async (eviction) => {
      if (eviction.gracePeriodSeconds <= IMMEDIATE_GRACE_PERIOD_SECONDS) return evict(eviction);
      this.#slow.add(eviction);
      try {
        await evict(eviction);
      } finally {
        this.#slow.delete(eviction);
      }
    };
  }

  /** Tells the victims under way to hurry when a hard threshold is crossed; each once. Statistics are read only while there are any. */
  async check(
    thresholds: readonly EvictionThreshold[],
    statistics: () => Promise<Statistics>,
    hurry: Evict,
  ): Promise<void> {
    if (this.#slow.size === 0) return;
    const observations = observationsOf((await statistics()).node);
    if (thresholdsMet(thresholds.filter(isHard), observations, { minReclaim: false }).length === 0) return;
    const victims = [...this.#slow];
    this.#slow.clear();
    await Promise.all(
      victims.map((eviction) => hurry({ ...eviction, gracePeriodSeconds: IMMEDIATE_GRACE_PERIOD_SECONDS })),
    );
  }
}
