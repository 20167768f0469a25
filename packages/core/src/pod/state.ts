/**
 * The state of one pod and its only way to change: `next(state, event)`, pure.
 *
 *   life of the pod                                     one container
 *
 *   pending ──rejected──────────────► rejected          waiting ◄──startFailed── starting
 *      │                                 │                 │                        ▲ │
 *      │ admitted                        │                 └────── starting ────────┘ │
 *      ▼                                 │                                            │ observed
 *   active ──terminate(cause)─┐          │                 exited ──── starting ──►   ▼
 *      │                      ▼          │                   ▲                     running
 *      └────────────────► terminating    │                   └───── observed ────────┘
 *   (pending too)             │          │
 *                             │ stopped  │ remove
 *                             ▼          ▼
 *                           ended ──────► gone
 *
 * `terminate` keeps the first cause; a removal that comes later is remembered beside it (`removal`). An event that has no
 * edge from where the pod stands leaves the state as it is.
 */
import type { BackOff } from "./backoff.js";
import { nextBackOff } from "./backoff.js";
import { isRemoval, type TerminationCause } from "./termination.js";
import { allContainers, type Container, initContainers, isSidecar, type Pod } from "./types.js";

export type Life =
  | { readonly kind: "pending" }
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string }
  | { readonly kind: "active" }
  | { readonly kind: "terminating"; readonly cause: TerminationCause; readonly gracePeriodSeconds?: number; readonly since: number }
  | { readonly kind: "ended"; readonly cause: TerminationCause }
  | { readonly kind: "gone" };

export type SandboxState =
  | { readonly kind: "none"; readonly nextAttempt: number }
  | { readonly kind: "ready"; readonly id: string; readonly attempt: number; readonly ips: readonly string[]; readonly since: number }
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
}

export interface Running {
  readonly kind: "running";
  readonly attempt: number;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly imageRef: string;
  readonly last?: Exit;
  /** Somebody wants it killed and started again. */
  readonly kill?: { readonly message: string; readonly gracePeriodSeconds?: number };
  /** Why it will be killed, when its postStart failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

export interface Exited {
  readonly kind: "exited";
  readonly exit: Exit;
  readonly last?: Exit;
  /** It did not end by itself: it is started again unless the policy is Never, whatever its exit code. */
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
  readonly gates: Readonly<Record<string, Gate>>;
  readonly backOffs: Readonly<Record<string, BackOff>>;
  /** All init containers have done their work in this sandbox. */
  readonly initialized: boolean;
  /** Volumes or sandbox could not be made; tried again then (monotonic milliseconds). */
  readonly syncFailure?: { readonly message: string; readonly notBefore: number; readonly count: number };
  /** Set once a removal was asked for; the time is for metadata.deletionTimestamp. */
  readonly removal?: { readonly cause: TerminationCause; readonly at: number; readonly gracePeriodSeconds?: number };
}

export type PodEvent =
  | { readonly type: "admitted" }
  | { readonly type: "rejected"; readonly reason: string; readonly message: string; readonly at: number }
  | { readonly type: "terminate"; readonly cause: TerminationCause; readonly at: number; readonly gracePeriodSeconds?: number }
  | { readonly type: "sandboxReady"; readonly id: string; readonly attempt: number; readonly ips: readonly string[]; readonly at: number }
  | { readonly type: "sandboxDead"; readonly id: string; readonly attempt: number }
  /** The dead sandbox is stopped; the next one may come. */
  | { readonly type: "sandboxStopped" }
  | { readonly type: "syncFailed"; readonly message: string; readonly now: number }
  | { readonly type: "starting"; readonly container: string; readonly now: number }
  | { readonly type: "startFailed"; readonly container: string; readonly reason: string; readonly message: string; readonly notBefore: number }
  | { readonly type: "observed"; readonly container: string; readonly observation: Observation }
  | { readonly type: "killRequested"; readonly container: string; readonly message: string; readonly gracePeriodSeconds?: number; readonly id?: string }
  | { readonly type: "failed"; readonly container: string; readonly reason: string; readonly message: string }
  | { readonly type: "gate"; readonly container: string; readonly gate: Partial<Gate> }
  /** What an earlier life of the agent knew of a container's back-off. */
  | { readonly type: "backOffKnown"; readonly container: string; readonly backOff: BackOff }
  | { readonly type: "stopped" }
  | { readonly type: "removed" };

/** What the runtime says of an attempt. `lost`: it is not there any more. */
export type Observation =
  | { readonly kind: "running"; readonly id: string; readonly attempt: number; readonly startedAt: number; readonly imageRef: string }
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
    containers: Object.fromEntries(allContainers(pod).map((container) => [container.name, waiting])),
    gates: {},
    backOffs: {},
    initialized: initContainers(pod).length === 0,
  };
}

export function next(state: PodState, event: PodEvent): PodState {
  switch (event.type) {
    case "admitted":
      return state.life.kind === "pending" ? { ...state, life: { kind: "active" } } : state;
    case "rejected":
      return rejected(state, event);
    case "terminate":
      return terminate(state, event);
    case "sandboxReady":
      return {
        ...without(state, "syncFailure"),
        sandbox: { kind: "ready", id: event.id, attempt: event.attempt, ips: event.ips, since: event.at },
      };
    case "sandboxDead":
      return sandboxDead(state, event.id, event.attempt);
    case "sandboxStopped":
      if (state.sandbox.kind === "none") return state;
      return { ...state, sandbox: { kind: "none", nextAttempt: state.sandbox.attempt + 1 } };
    case "syncFailed":
      return syncFailed(state, event.message, event.now);
    case "stopped":
      return state.life.kind === "terminating" ? { ...state, life: { kind: "ended", cause: state.life.cause } } : state;
    case "removed":
      return state.life.kind === "ended" || state.life.kind === "rejected" ? { ...state, life: { kind: "gone" } } : state;
    default:
      return containerEvent(state, event);
  }
}

/** A pod that still runs from before a restart of the agent has to be stopped first. */
function rejected(state: PodState, event: Extract<PodEvent, { type: "rejected" }>): PodState {
  if (state.life.kind !== "pending") return state;
  const { reason, message } = event;
  const runs = Object.values(state.containers).some((container) => container.kind === "running");
  if (state.sandbox.kind === "none" && !runs) return { ...state, life: { kind: "rejected", reason, message } };
  return { ...state, life: { kind: "terminating", cause: { kind: "rejected", reason, message }, since: event.at } };
}

function terminate(state: PodState, event: Extract<PodEvent, { type: "terminate" }>): PodState {
  const { cause, at, gracePeriodSeconds } = event;
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  const removal = state.removal ?? (isRemoval(cause) ? { cause, at, ...grace } : undefined);
  const marked = removal === undefined ? state : { ...state, removal };
  if (state.life.kind === "pending" || state.life.kind === "active") {
    return { ...marked, life: { kind: "terminating", cause, since: at, ...grace } };
  }
  return marked;
}

const SYNC_RETRY = { first: 500, factor: 2, max: 122_000 };

/** Volumes and sandboxes are tried again as the kubelet's volume manager does: 0.5 s, doubling to about 2 min. */
function syncFailed(state: PodState, message: string, now: number): PodState {
  const count = (state.syncFailure?.count ?? 0) + 1;
  const delay = Math.min(SYNC_RETRY.max, SYNC_RETRY.first * SYNC_RETRY.factor ** (count - 1));
  return { ...state, syncFailure: { message, notBefore: now + delay, count } };
}

/** A dead sandbox takes its containers along; the init containers will run again in the next one. */
function sandboxDead(state: PodState, id: string, attempt: number): PodState {
  if (state.sandbox.kind === "ready" && state.sandbox.id !== id) return state;
  const containers = mapValues(state.containers, (container): ContainerState =>
    container.kind === "exited" ? { ...container, exit: { ...container.exit, stale: true } } : container,
  );
  const initialized = initContainers(state.pod).length === 0;
  return { ...state, sandbox: { kind: "dead", id, attempt }, containers, initialized };
}

type ContainerEvent = Extract<PodEvent, { container: string }>;

function containerEvent(state: PodState, event: ContainerEvent): PodState {
  const container = state.containers[event.container];
  if (container === undefined) return state;
  if (event.type === "backOffKnown") {
    return { ...state, backOffs: { ...state.backOffs, [event.container]: event.backOff } };
  }
  if (event.type === "gate") {
    const gate = { ...(state.gates[event.container] ?? { ready: true, started: true }), ...event.gate };
    return { ...state, gates: { ...state.gates, [event.container]: gate } };
  }
  const changed = nextContainer(container, event.type === "observed" ? placed(state, event) : event);
  if (changed === container) return state;
  const after = { ...state, containers: { ...state.containers, [event.container]: changed } };
  if (event.type === "starting") return begun(after, event.container, container, event.now);
  return after.initialized ? after : { ...after, initialized: isInitialized(after, event.container, changed) };
}

/** What ends without a sandbox of the pod ended with it. */
function placed(state: PodState, event: Extract<PodEvent, { type: "observed" }>): typeof event {
  if (event.observation.kind !== "exited" || state.sandbox.kind === "ready") return event;
  return { ...event, observation: { kind: "exited", exit: { ...event.observation.exit, stale: true } } };
}

/** Every start but the first moves the back-off on, and gates start anew. */
function begun(state: PodState, name: string, before: ContainerState, now: number): PodState {
  const { [name]: _gate, ...gates } = state.gates;
  if (before.kind !== "exited") return { ...state, gates };
  const backOff = nextBackOff(state.backOffs[name], before.exit.seen, now);
  return { ...state, gates, backOffs: { ...state.backOffs, [name]: backOff } };
}

function nextContainer(container: ContainerState, event: Exclude<ContainerEvent, { type: "gate" | "backOffKnown" }>): ContainerState {
  switch (event.type) {
    case "starting":
      return starting(container);
    case "startFailed":
      if (container.kind !== "starting") return container;
      return {
        kind: "waiting",
        attempt: container.attempt,
        reason: event.reason,
        message: event.message,
        notBefore: event.notBefore,
        failures: (container.failures ?? 0) + 1,
        ...lastOf(container),
      };
    case "observed":
      return observed(container, event.observation);
    case "killRequested": {
      if (container.kind !== "running" || container.kill !== undefined) return container;
      if (event.id !== undefined && event.id !== container.id) return container;
      const grace = event.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: event.gracePeriodSeconds };
      return { ...container, kill: { message: event.message, ...grace } };
    }
    case "failed":
      if (container.kind !== "exited" && container.kind !== "running") return container;
      return { ...container, failure: { reason: event.reason, message: event.message } };
  }
}

function starting(container: ContainerState): ContainerState {
  if (container.kind === "waiting") {
    const was = container.notBefore === undefined ? {} : { was: { reason: container.reason, message: container.message } };
    const failures = container.failures === undefined ? {} : { failures: container.failures };
    return { kind: "starting", attempt: container.attempt, ...lastOf(container), ...was, ...failures };
  }
  if (container.kind === "exited") return { kind: "starting", attempt: container.exit.attempt + 1, last: container.exit };
  return container;
}

function observed(container: ContainerState, observation: Observation): ContainerState {
  if (observation.kind === "lost") return lost(container, observation);
  const attempt = observation.kind === "running" ? observation.attempt : observation.exit.attempt;
  if (attempt < attemptOf(container)) return container;
  if (container.kind === "exited" && attempt === container.exit.attempt) return container;
  const last = container.kind === "exited" ? { last: container.exit } : lastOf(container);
  if (observation.kind === "exited") {
    const killed = container.kind === "running" && container.kill !== undefined ? { killed: true } : {};
    const failure = container.kind === "running" && container.failure !== undefined ? { failure: container.failure } : {};
    return { kind: "exited", exit: observation.exit, ...last, ...killed, ...failure };
  }
  if (container.kind === "running" && container.id === observation.id) return container;
  const { id, startedAt, imageRef } = observation;
  return { kind: "running", attempt, id, startedAt, imageRef, ...last };
}

/** The runtime forgot a container that was running: its exit code is unknown, as the kubelet words it. */
function lost(container: ContainerState, observation: Extract<Observation, { kind: "lost" }>): ContainerState {
  if (container.kind !== "running" || container.id !== observation.id) return container;
  const exit: Exit = {
    id: container.id,
    attempt: container.attempt,
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "The container could not be located when the pod was terminated",
    startedAt: container.startedAt,
    finishedAt: observation.wall,
    seen: observation.now,
    imageRef: container.imageRef,
  };
  return { kind: "exited", exit, ...lastOf(container) };
}

function attemptOf(container: ContainerState): number {
  return container.kind === "exited" ? container.exit.attempt : container.attempt;
}

function lastOf(container: ContainerState): { last?: Exit } {
  if (container.last === undefined) return {};
  return { last: container.last };
}

/** Once a main container was made in this sandbox, the init containers had done their work, whatever is left of them. */
function isInitialized(state: PodState, name: string, changed: ContainerState): boolean {
  const isMain = state.pod.spec.containers.some((container) => container.name === name);
  if (isMain && (changed.kind === "running" || (changed.kind === "exited" && changed.exit.stale !== true))) return true;
  return initContainers(state.pod).every((container) => initDone(state, container));
}

/** A plain init container has done its work when it ended with 0; a sidecar once it has started. */
export function initDone(state: PodState, container: Container): boolean {
  const current = state.containers[container.name];
  if (current === undefined) return false;
  if (isSidecar(container)) return current.kind === "running" && (state.gates[container.name]?.started ?? true);
  return current.kind === "exited" && current.exit.exitCode === 0 && current.exit.stale !== true;
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function without<K extends keyof PodState>(state: PodState, key: K): Omit<PodState, K> {
  const { [key]: _gone, ...rest } = state;
  return rest;
}
