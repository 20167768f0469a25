/**
 * One round of the eviction loop as pure decisions (pkg/kubelet/eviction synchronize), and what it leaves for the next one. Reading,
 * reclaiming and killing lie between them. Pure.
 */
import type { Pod } from "@hooklet/core";
import { candidatesFor, type EvictionCandidate } from "./candidates.js";
import { type DiskLayout, type ReclaimFunction, reclaimFor } from "./layout.js";
import { type EvictionAnnotations, evictionMessage } from "./messages.js";
import type { Observations, StatisticsByUid } from "./observations.js";
import { type Ranking, type RankingStrategy, rank } from "./ranking.js";
import { conditionsOf, type PressureCondition, resourceOf, type Signal, type StarvedResource } from "./signals.js";
import {
  byUrgency,
  dueThresholds,
  type EvictionThreshold,
  isHard,
  type MetSince,
  mergeThresholds,
  metSince,
  thresholdsMet,
  withContainerFs,
  withNewStatistics,
} from "./thresholds.js";

/** Condition -> when it was last observed, in milliseconds. Old ones are kept. */
export type ObservedAt = ReadonlyMap<PressureCondition, number>;

/** When each condition was last observed. */
export function observedAt(conditions: readonly PressureCondition[], before: ObservedAt, now: number): ObservedAt {
  return new Map([...before, ...conditions.map((condition) => [condition, now] as const)]);
}

/** Those observed less than `periodSeconds` ago, by name. */
export function reportedConditions(
  observed: ObservedAt,
  periodSeconds: number,
  now: number,
): readonly PressureCondition[] {
  return [...observed]
    .filter(([, at]) => now - at < periodSeconds * 1000)
    .map(([condition]) => condition)
    .sort();
}

export interface EvictionState {
  /** Undefined until the first round has read it. */
  readonly layout?: DiskLayout;
  /** Once the layout is known, with those of containerfs. */
  readonly thresholds: readonly EvictionThreshold[];
  readonly since: MetSince;
  /** Crossed for their grace period at the last round: they stay until their minimum reclaim is free too. */
  readonly due: readonly EvictionThreshold[];
  readonly conditionsObservedAt: ObservedAt;
  /** Shown, by name. */
  readonly conditions: readonly PressureCondition[];
  readonly observations: Observations;
}

export function initialState(thresholds: readonly EvictionThreshold[]): EvictionState {
  return {
    thresholds,
    since: new Map(),
    due: [],
    conditionsObservedAt: new Map(),
    conditions: [],
    observations: new Map(),
  };
}

export interface LaidOut {
  readonly state: EvictionState & { readonly layout: DiskLayout };
  /** Those that hold in this very round: new ones of containerfs hold from the next round on. */
  readonly thresholds: readonly EvictionThreshold[];
  /** The kubelet's text about an own setting of containerfs that was replaced. */
  readonly replaced?: string;
}

/** The state with the disks' layout. A layout that is known already stays. */
export function withLayout(state: EvictionState, layout: DiskLayout): LaidOut {
  if (state.layout !== undefined) {
    return { state: { ...state, layout: state.layout }, thresholds: state.thresholds };
  }
  const derived = withContainerFs(state.thresholds, layout);
  const { thresholds, added, replaced } = derived;
  return {
    state: { ...state, layout, thresholds },
    thresholds: thresholds.filter((one) => !added.includes(one)),
    ...(replaced === undefined ? {} : { replaced }),
  };
}

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
  /** Undefined when no pod may be evicted. */
  readonly victim: EvictionCandidate | undefined;
}

/** Who goes for a signal: the first of the ranking. Critical pods are not ranked. */
export function chooseVictim({ signal, pods, statistics, layout, ranking, rankingName }: VictimInput): VictimChoice {
  const candidates = candidatesFor(signal, pods, statistics, layout);
  const ranked = rank({ signal, resource: resourceOf(signal), candidates, layout }, ranking, rankingName);
  return { ...ranked, victim: ranked.order[0] };
}

/** The eviction of a pod: its message and its grace period. */
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

export const IMMEDIATE_GRACE_PERIOD_SECONDS = 1;

/**
 * Seconds, as the kubelet hands them to the kill: a hard threshold leaves one, a soft one what the pod wants, up to the configured
 * maximum. May be 0 or below.
 */
export function gracePeriodOverride(threshold: EvictionThreshold, pod: Pod, maxPodGracePeriodSeconds: number): number {
  if (isHard(threshold)) return IMMEDIATE_GRACE_PERIOD_SECONDS;
  return Math.min(maxPodGracePeriodSeconds, pod.spec.terminationGracePeriodSeconds ?? maxPodGracePeriodSeconds);
}

/** The effective grace period: at least one second. A deletion under way that leaves less keeps its time (the pod's life ensures that). */
export function effectiveGracePeriod(override: number): number {
  return Math.max(1, override);
}
