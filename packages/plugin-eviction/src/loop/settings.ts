import type { RankingStrategy } from "../strategy.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";
import type { Budget } from "./budget.js";

/** What the rounds go by. */
export interface ManagerSettings {
  readonly thresholds: readonly EvictionThreshold[];
  readonly localStorageCapacityIsolation: boolean;
  readonly pressureTransitionPeriodSeconds: number;
  readonly maxPodGracePeriodSeconds: number;
  /** Nobody goes: the rounds do not wait for anybody then. */
  readonly dryRun: boolean;
  readonly budget?: Budget | undefined;
  readonly ranking: RankingStrategy;
  /** As the rc file names it. */
  readonly rankingName: string;
}
