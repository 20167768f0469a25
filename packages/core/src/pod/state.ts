/** The state of one pod, and the events that change it (next.ts). */

import { initContainers, type Pod, runnableContainers } from "@hooklet/manifest";
import type { BackOff } from "@hooklet/utils";
import type { TerminationCause } from "../hooks/termination.js";
import { noOverrides, type OverrideEvent, type StatusOverrides } from "./status-overrides.js";

export type Life =
  | { readonly kind: "pending"; readonly postponed?: Postponed }
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string }
  | { readonly kind: "active" }
  | {
      readonly kind: "terminating";
      readonly cause: TerminationCause;
      readonly gracePeriodSeconds?: number;
      /** Milliseconds since the epoch. */
      readonly since: number;
      /** It has not been admitted in this life of the agent: it holds of the node what runs of it from before. */
      readonly unadmitted?: true;
    }
  | { readonly kind: "ended"; readonly cause: TerminationCause }
  | { readonly kind: "gone" };

/** Why the pod is not admitted yet, and the monotonic milliseconds of the next try. */
export interface Postponed {
  readonly reason: string;
  readonly message: string;
  readonly notBefore: number;
}

export type SandboxState =
  | { readonly kind: "none"; readonly nextAttempt: number }
  | {
      readonly kind: "ready";
      readonly id: string;
      readonly attempt: number;
      readonly ips: readonly string[];
      readonly since: number;
      /** It is from before a restart of the agent, and the plugins have not had their say about it yet. */
      readonly takenOver?: true;
    }
  /** It died, or is the leftover of a start that failed: to be removed before the next one. */
  | { readonly kind: "dead"; readonly id: string; readonly attempt: number };

/** How an attempt ended. Times in milliseconds: `startedAt`, `finishedAt` since the epoch, `seen` monotonic. */
export interface Exit {
  readonly id: string;
  readonly attempt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly seen: number;
  readonly imageRef: string;
  /** Belongs to a sandbox that is gone. */
  readonly stale?: boolean;
}

export interface Waiting {
  readonly kind: "waiting";
  /** Number of the attempt to come; 0 is the first. */
  readonly attempt: number;
  readonly reason: string;
  readonly message: string;
  /** Monotonic milliseconds before which it is not tried again. */
  readonly notBefore?: number;
  readonly last?: Exit;
  /** How often this attempt could not be started so far. */
  readonly failures?: number;
}

export interface Starting {
  readonly kind: "starting";
  readonly attempt: number;
  readonly last?: Exit;
  readonly failures?: number;
  /** What it was waiting with: shown until it runs. */
  readonly was?: { readonly reason: string; readonly message: string };
  /** Its status when it was started again; `window`: the back-off that it had waited, milliseconds. */
  readonly after?: { readonly last?: Exit; readonly window?: number };
}

export interface Running {
  readonly kind: "running";
  readonly attempt: number;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly imageRef: string;
  readonly last?: Exit;
  /** Set when it is to be killed and started again. */
  readonly kill?: { readonly message: string; readonly gracePeriodSeconds?: number };
  /** Why it will be killed, when its postStart failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
  /** Its postStart has not ended: until then it shows as while it was started. */
  readonly shownAs?: Starting;
}

export interface Exited {
  readonly kind: "exited";
  readonly exit: Exit;
  readonly last?: Exit;
  /** It did not end by itself: it restarts unless the policy is Never, with any exit code. */
  readonly killed?: boolean;
  /** Why the start failed, when it did: RunContainerError, PostStartHookError. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

export type ContainerState = Waiting | Starting | Running | Exited;

/** What others say about a container: shown only while it runs. */
export interface Gate {
  readonly ready: boolean;
  readonly started: boolean;
}

export interface PodState {
  readonly pod: Pod;
  readonly life: Life;
  /** Milliseconds since the epoch / monotonic: when the agent took the pod (over all restarts of the agent). */
  readonly startTime: number;
  readonly startedMonotonic: number;
  readonly sandbox: SandboxState;
  readonly containers: Readonly<Record<string, ContainerState>>;
  /** The gates that plugins set; a gate that is not set does not hold an admitted pod back. */
  readonly gates: Readonly<Record<string, Partial<Gate>>>;
  readonly backOffs: Readonly<Record<string, BackOff>>;
  readonly overrides: StatusOverrides;
  /** All init containers have done their work in this sandbox. */
  readonly initialized: boolean;
  /** Volumes or sandbox could not be made; tried again then (monotonic milliseconds). */
  readonly syncFailure?: { readonly message: string; readonly notBefore: number; readonly count: number };
  /** A restart of all containers was requested: they are to be removed and started again. */
  readonly restartRequested?: true;
  /** Set once a removal was requested; the time is for metadata.deletionTimestamp. */
  readonly removal?: { readonly cause: TerminationCause; readonly at: number; readonly gracePeriodSeconds?: number };
}

export type PodEvent =
  /** Its manifest changed in a way that leaves the containers running. */
  | { readonly type: "updated"; readonly pod: Pod }
  | OverrideEvent
  | { readonly type: "admitted" }
  | ({ readonly type: "postponed" } & Postponed)
  | { readonly type: "rejected"; readonly reason: string; readonly message: string; readonly at: number }
  | {
      readonly type: "terminate";
      readonly cause: TerminationCause;
      readonly at: number;
      readonly gracePeriodSeconds?: number;
    }
  | {
      readonly type: "sandboxReady";
      readonly id: string;
      readonly attempt: number;
      readonly ips: readonly string[];
      readonly at: number;
      readonly takenOver?: true;
    }
  /** Plugins have had their say about a sandbox that is taken over. */
  | { readonly type: "sandboxPrepared" }
  | { readonly type: "sandboxDead"; readonly id: string; readonly attempt: number }
  /** The dead sandbox is stopped; the next one may come. */
  | { readonly type: "sandboxStopped" }
  | { readonly type: "syncFailed"; readonly message: string; readonly now: number }
  | { readonly type: "starting"; readonly container: string; readonly now: number }
  | {
      readonly type: "startFailed";
      readonly container: string;
      readonly reason: string;
      readonly message: string;
      readonly notBefore: number;
    }
  | { readonly type: "observed"; readonly container: string; readonly observation: Observation }
  | {
      readonly type: "killRequested";
      readonly container: string;
      readonly message: string;
      readonly gracePeriodSeconds?: number;
      readonly id?: string;
    }
  /** All containers are to start again. */
  | { readonly type: "restartRequested" }
  /** Init and main containers are removed; all of them start again. */
  | { readonly type: "containersReset"; readonly now: number }
  | { readonly type: "postStartEnded"; readonly container: string }
  | { readonly type: "failed"; readonly container: string; readonly reason: string; readonly message: string }
  | { readonly type: "gate"; readonly container: string; readonly gate: Partial<Gate> }
  /** What an earlier life of the agent knew of a container's back-off. */
  | { readonly type: "backOffKnown"; readonly container: string; readonly backOff: BackOff }
  /** Of a container that the runtime does not have: so many attempts were made, as its logs tell. */
  | { readonly type: "attemptsKnown"; readonly container: string; readonly attempts: number }
  | { readonly type: "stopped" }
  | { readonly type: "removed" };

/** The runtime's report about an attempt. `lost`: it does not exist any more. */
export type Observation =
  | {
      readonly kind: "running";
      readonly id: string;
      readonly attempt: number;
      readonly startedAt: number;
      readonly imageRef: string;
    }
  | { readonly kind: "exited"; readonly exit: Exit }
  | { readonly kind: "lost"; readonly id: string; readonly now: number; readonly wall: number };

export function initialState(pod: Pod, startTime: number, startedMonotonic: number): PodState {
  const reason = initContainers(pod).length > 0 ? "PodInitializing" : "ContainerCreating";
  const waiting: Waiting = { kind: "waiting", attempt: 0, reason, message: "" };
  return {
    pod,
    life: { kind: "pending" },
    startTime,
    startedMonotonic,
    sandbox: { kind: "none", nextAttempt: 0 },
    containers: Object.fromEntries(runnableContainers(pod).map((container) => [container.name, waiting])),
    gates: {},
    backOffs: {},
    overrides: noOverrides,
    initialized: initContainers(pod).length === 0,
  };
}
