/** What one round leaves for the next. Immutable; empty after a restart. Pure. */
import type { DiskLayout } from "../layout.js";
import type { Observations } from "../observations.js";
import type { PressureCondition } from "../signals.js";
import { withContainerFs } from "../thresholds/containerfs.js";
import type { EvictionThreshold } from "../thresholds/threshold.js";
import type { ObservedAt } from "./conditions.js";
import type { MetSince } from "./thresholds-met.js";

export interface EvictionState {
  /** Undefined until the first round has asked for it. */
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
