/**
 * The four hooks of hooklet: the whole contract between the core and its plugins. A fifth needs an ADR that names two
 * plugins which cannot be written without it, and touches hookRules, createHooks and both interfaces here, `intercept`, `pluginHooks`, `AnyHook`
 * and `hookOf` in guard.ts, and `openCall` in call-tap.ts.
 */

import type { ContainerStatus } from "@hooklet/cri-api";
import type { Container, Pod } from "@hooklet/manifest";
import { AsyncParallelHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, HookMap } from "tapable";
import type { ContainerPlan, PlanOwners } from "../plan/contract.js";
import type { TerminationCause } from "./termination.js";
import type { AdmissionVerdict } from "./verdict.js";

export interface PodAdmitEvent {
  /** The pod, frozen. */
  readonly pod: Pod;
  /** The other pods that hold resources of the node: admitted and not yet ended, and those that still run after a restart of the agent but that their source has not named again yet (`ctx.pods.awaited()`). */
  readonly otherPods: readonly Pod[];
  /**
   * The pod's containers that run already, from before a restart of the agent. A pod with such containers is taken over: it keeps
   * what it has, and a rejection stops it. Empty for a pod that is yet to run.
   */
  readonly running: readonly ContainerStatus[];
  /** Whether an earlier agent admitted the pod. It may have no running container at the moment. */
  readonly isTakenOver: boolean;
  /** Aborted when the pod is removed before the verdict. */
  readonly signal: AbortSignal;
}

export interface ContainerStartEvent {
  /** The pod, frozen. */
  readonly pod: Pod;
  /** Its container, as the manifest has it. */
  readonly container: Container;
  /** Ephemeral containers are `main`. */
  readonly kind: "init" | "sidecar" | "main";
  /** 0 at the first start. */
  readonly restartCount: number;
  /** Aborted when the start is given up. */
  readonly signal: AbortSignal;
}

export interface PodTerminateEvent {
  /** The pod, frozen. */
  readonly pod: Pod;
  /** Why it ends. `cause.kind` is `deleted`, `replaced`, `evicted`, `deadline`, `orphaned`, `shutdown`, `rejected` or `completed`. */
  readonly cause: TerminationCause;
  /** Time that its containers get. */
  readonly gracePeriodSeconds: number;
  /** `run` is called once no container of the pod runs any more. */
  afterStop(run: () => void | Promise<void>): void;
}

export interface TickEvent {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Aborted at the tap's deadline and when the agent stops. */
  readonly signal: AbortSignal;
}

/** Stages of `podAdmit`, in order of running. Core's own predicates run between `check` and `repair`. */
export const Stage = { check: 0, predicates: 50, repair: 100, validate: 200 } as const;
export type StageName = "check" | "repair" | "validate";

/** closed: a failing tap fails the operation. open: all taps run, errors are reported. */
export type FailurePolicy = "closed" | "open";

export interface HookRule {
  readonly policy: FailurePolicy;
  /** Deadline of a tap in seconds, unless the tap sets its own. */
  readonly deadlineSeconds: number;
  /** The longest deadline that a tap may ask for, seconds. */
  readonly maxDeadlineSeconds: number;
  /** What a tap may return: undefined, or the (changed) first argument of a waterfall. */
  readonly output: "nothing" | "verdict" | "plan";
  /** A tap that is still busy is left out of the next call, and that is counted. */
  readonly overlap: "allowed" | "skipped";
}

// biome-ignore format: one hook per line, read as a table
export const hookRules = {
  /**
   * Waterfall over the verdict, one pod at a time for the node. A failing tap is a rejection that names it. A repair may
   * wait for many kills, each with its grace period.
   */
  podAdmit:       { policy: "closed", deadlineSeconds: 30, maxDeadlineSeconds: 86_400, output: "verdict", overlap: "allowed" },
  /** Waterfall over the plan, before a container is created. A failing tap fails the start, which is retried with back-off. */
  containerStart: { policy: "closed", deadlineSeconds: 30, maxDeadlineSeconds: 300,  output: "plan",    overlap: "allowed" },
  /** In series before the kill; `event.afterStop` after it. All taps run. */
  podTerminate:   { policy: "open",   deadlineSeconds: 5,  maxDeadlineSeconds: 60,   output: "nothing", overlap: "allowed" },
  /** In parallel, once per period. All taps run; a tap never overlaps itself. */
  tick:           { policy: "open",   deadlineSeconds: 60, maxDeadlineSeconds: 3600, output: "nothing", overlap: "skipped" },
} as const satisfies Record<HookName, HookRule>;

export type HookName = keyof NodeHooks;

/** What the core fires. Plugins get `PluginHooks`. */
export interface NodeHooks {
  readonly podAdmit: AsyncSeriesWaterfallHook<[AdmissionVerdict, PodAdmitEvent]>;
  /** The guard gives every tap its own view of the plan. */
  readonly containerStart: AsyncSeriesWaterfallHook<[PlanOwners, ContainerStartEvent]>;
  readonly podTerminate: AsyncSeriesHook<[PodTerminateEvent]>;
  readonly tick: TickHooks;
}

/** One hook per period in seconds, created on first use. */
export interface TickHooks extends HookMap<AsyncParallelHook<[TickEvent]>> {
  /** All periods in use. */
  readonly periods: ReadonlySet<number>;
}

/** The bare hooks, without the guard (guard.ts). */
export function createHooks(): NodeHooks {
  return {
    podAdmit: new AsyncSeriesWaterfallHook(["verdict", "event"], "podAdmit"),
    containerStart: new AsyncSeriesWaterfallHook(["plan", "event"], "containerStart"),
    podTerminate: new AsyncSeriesHook(["event"], "podTerminate"),
    tick: createTickHooks(),
  };
}

/** tapable's map does not tell its keys. */
function createTickHooks(): TickHooks {
  const periods = new Set<number>();
  const hooks = new HookMap((period: number) => {
    periods.add(period);
    return new AsyncParallelHook<[TickEvent]>(["event"], `tick ${period}s`);
  }, "tick");
  return Object.assign(hooks, { periods });
}

export interface TapOptions {
  /** Names the tap, for a plugin that taps a hook more than once. */
  readonly name?: string;
  /** Seconds; the hook's default otherwise, never over its maximum. */
  readonly deadlineSeconds?: number;
}

type Awaitable<T> = T | Promise<T>;

/** A hook as a plugin sees it: it can be tapped and nothing else. `tap` may be called in `start` only. */
export interface Tappable<Arguments extends readonly unknown[], Output, Options extends TapOptions = TapOptions> {
  tap(run: (...args: Arguments) => Awaitable<Output>): void;
  tap(options: Options, run: (...args: Arguments) => Awaitable<Output>): void;
}

/** The hooks of one plugin: every tap carries the plugin's name. */
export interface PluginHooks {
  readonly podAdmit: Tappable<
    [verdict: AdmissionVerdict, event: PodAdmitEvent],
    // biome-ignore lint/suspicious/noConfusingVoidType: a tap that changes nothing returns nothing
    AdmissionVerdict | undefined | void,
    TapOptions & { readonly stage?: StageName }
  >;
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  readonly containerStart: Tappable<[plan: ContainerPlan, event: ContainerStartEvent], undefined | void>;
  readonly podTerminate: Tappable<[event: PodTerminateEvent], void>;
  /** Taps of the same period (seconds, at least 0.1) are called together. */
  readonly tick: (periodSeconds: number) => Tappable<[event: TickEvent], void>;
}
