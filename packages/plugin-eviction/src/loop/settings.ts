import { strategyName } from "@hooklet/core";
import { type EvictionOptions, thresholdsOf } from "../options.js";
import type { RankingStrategy } from "../strategy.js";
import type { SignalTexts } from "../thresholds/parse.js";
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

/** @throws Error with the kubelet's text when a threshold cannot be read */
export function settingsOf(
  evictionHard: SignalTexts,
  given: Omit<EvictionOptions, "ranking">,
  ranking: RankingStrategy,
): ManagerSettings {
  return {
    thresholds: thresholdsOf(evictionHard, given),
    localStorageCapacityIsolation: given.localStorageCapacityIsolation,
    pressureTransitionPeriodSeconds: given.evictionPressureTransitionPeriod,
    maxPodGracePeriodSeconds: given.evictionMaxPodGracePeriod,
    budget: given.budget,
    dryRun: given.mode === "dry-run",
    ranking,
    rankingName: strategyName(ranking) ?? "custom",
  };
}
