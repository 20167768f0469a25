/**
 * One round of the eviction loop as pure decisions (pkg/kubelet/eviction synchronize). Reading, reclaiming and killing lie between them.
 * Pure.
 */
import type { Pod } from "@hooklet/core";
import type { DiskLayout } from "../layout.js";
import type { Observations } from "../observations.js";
import { type Ranking, rank } from "../rank.js";
import { conditionsOf, resourceOf, type Signal, type StarvedResource } from "../signals.js";
import type { StatisticsByUid } from "../statistics.js";
import type { RankingStrategy } from "../strategy.js";
import { type EvictionThreshold, mergeThresholds } from "../thresholds/threshold.js";
import { candidatesFor, type EvictionCandidate } from "../usage/candidate.js";
import { type EvictionAnnotations, evictionMessage } from "../words/message.js";
import { byUrgency } from "./choose.js";
import { observedAt, reportedConditions } from "./conditions.js";
import { gracePeriodOverride } from "./grace.js";
import { type ReclaimFunction, reclaimFor } from "./reclaim.js";
import type { EvictionState } from "./state.js";
import { dueThresholds, metSince, thresholdsMet, withNewStatistics } from "./thresholds-met.js";

export interface LookInput<State extends EvictionState> {
  readonly state: State;
  /** Those that hold in this round. */
  readonly thresholds: readonly EvictionThreshold[];
  readonly observations: Observations;
  readonly pressureTransitionPeriodSeconds: number;
  /** Milliseconds; only differences count. */
  readonly now: number;
}

export interface Look<State extends EvictionState> {
  readonly state: State;
  /** Crossed, grace period or not. */
  readonly met: readonly EvictionThreshold[];
  /** Calls for action, the most urgent first. */
  readonly actOn: readonly EvictionThreshold[];
}

/** What the numbers say: the conditions to show, and the thresholds to act on. */
export function look<State extends EvictionState>(input: LookInput<State>): Look<State> {
  const { state, observations, now } = input;
  const unresolved = thresholdsMet(state.due, observations, { minReclaim: true });
  const met = mergeThresholds(thresholdsMet(input.thresholds, observations, { minReclaim: false }), unresolved);
  const since = metSince(met, state.since, now);
  const conditionsObservedAt = observedAt(
    conditionsOf(met.map(({ signal }) => signal)),
    state.conditionsObservedAt,
    now,
  );
  const due = dueThresholds(since, now);
  return {
    state: {
      ...state,
      since,
      due,
      conditionsObservedAt,
      conditions: reportedConditions(conditionsObservedAt, input.pressureTransitionPeriodSeconds, now),
      observations,
    },
    met,
    actOn: byUrgency(withNewStatistics(due, observations, state.observations)),
  };
}

/** What a round does about the most urgent threshold. */
export interface Action {
  readonly threshold: EvictionThreshold;
  readonly signal: Signal;
  readonly resource: StarvedResource;
  /** Tried on the node before a pod goes, in this order. */
  readonly reclaim: readonly ReclaimFunction[];
}

export function actionFor(actOn: readonly EvictionThreshold[], layout: DiskLayout): Action | undefined {
  const [threshold] = actOn;
  if (threshold === undefined) return undefined;
  const { signal } = threshold;
  return { threshold, signal, resource: resourceOf(signal), reclaim: reclaimFor(signal, layout) };
}

/** After a reclaim: no threshold of any signal, soft ones included, is below value and minimum reclaim. */
export function isRelieved(thresholds: readonly EvictionThreshold[], observations: Observations): boolean {
  return thresholdsMet(thresholds, observations, { minReclaim: true }).length === 0;
}

export interface VictimInput {
  readonly signal: Signal;
  readonly pods: readonly Pod[];
  readonly statistics: StatisticsByUid;
  readonly layout: DiskLayout;
  readonly ranking: RankingStrategy;
  /** As the rc file names it. */
  readonly rankingName: string;
}

export interface VictimChoice extends Ranking {
  /** Undefined when nobody may go. */
  readonly victim: EvictionCandidate | undefined;
}

/** Who goes for a signal: the first of the ranking. Critical pods are not ranked. */
export function chooseVictim({ signal, pods, statistics, layout, ranking, rankingName }: VictimInput): VictimChoice {
  const candidates = candidatesFor(signal, pods, statistics, layout);
  const ranked = rank({ signal, resource: resourceOf(signal), candidates, layout }, ranking, rankingName);
  return { ...ranked, victim: ranked.order[0] };
}

/** What a victim is told, and how long it has. */
export interface EvictionOrder {
  readonly message: string;
  readonly annotations: EvictionAnnotations;
  /** Seconds, as the kubelet hands them to the kill, which takes anything below 1 for 1. */
  readonly gracePeriodSeconds: number;
}

export function orderFor(
  victim: EvictionCandidate,
  { threshold, resource }: Action,
  actOn: readonly EvictionThreshold[],
  seen: { readonly observations: Observations; readonly statistics: StatisticsByUid },
  maxPodGracePeriodSeconds: number,
): EvictionOrder {
  const statistics = seen.statistics.get(victim.uid);
  return {
    ...evictionMessage({ resource, pod: victim.pod, statistics, thresholds: actOn, observations: seen.observations }),
    gracePeriodSeconds: gracePeriodOverride(threshold, victim.pod, maxPodGracePeriodSeconds),
  };
}
