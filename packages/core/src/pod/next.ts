/**
 * The only way in which a pod's state changes: `next(state, event)`, pure.
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
 * `terminate` keeps the first cause and may only shorten the grace period; a later removal is recorded in addition (`removal`). An event without an
 * edge from the current state changes nothing. Pure.
 */

import { allContainers, ephemeralContainers, initContainers, type Pod } from "@hooklet/manifest";
import { isRemoval } from "../hooks/termination.js";
import { grace } from "./grace.js";
import { nextOfContainer } from "./next-container.js";
import { containersReset } from "./reset.js";
import type { ContainerState, PodEvent, PodState } from "./state.js";
import { nextOverrides } from "./status-overrides.js";

export function next(state: PodState, event: PodEvent): PodState {
  switch (event.type) {
    case "updated":
      return updated(state, event.pod);
    case "admitted":
      return state.life.kind === "pending" ? { ...state, life: { kind: "active" } } : state;
    case "postponed": {
      const { reason, message, notBefore } = event;
      if (state.life.kind !== "pending") return state;
      return { ...state, life: { kind: "pending", postponed: { reason, message, notBefore } } };
    }
    case "rejected":
      return rejected(state, event);
    case "terminate":
      return terminate(state, event);
    case "sandboxReady":
      return {
        ...without(state, "syncFailure"),
        sandbox: {
          kind: "ready",
          id: event.id,
          attempt: event.attempt,
          ips: event.ips,
          since: event.at,
          ...(event.takenOver && { takenOver: true }),
        },
      };
    case "sandboxPrepared":
      return sandboxPrepared(state);
    case "sandboxDead":
      return sandboxDead(state, event.id, event.attempt);
    case "sandboxStopped":
      if (state.sandbox.kind === "none") return state;
      return { ...state, sandbox: { kind: "none", nextAttempt: state.sandbox.attempt + 1 } };
    case "restartRequested":
      return state.life.kind === "active" ? { ...state, restartRequested: true } : state;
    case "containersReset":
      return state.life.kind === "active" ? containersReset(state, event.now) : state;
    case "syncFailed":
      return syncFailed(state, event.message, event.now);
    case "stopped":
      return state.life.kind === "terminating" ? { ...state, life: { kind: "ended", cause: state.life.cause } } : state;
    case "removed":
      return state.life.kind === "ended" || state.life.kind === "rejected"
        ? { ...state, life: { kind: "gone" } }
        : state;
    case "resourcesApplied":
    case "resourcesAllocated":
    case "conditionSet": {
      const overrides = nextOverrides(state.overrides, event);
      return overrides === state.overrides ? state : { ...state, overrides };
    }
    default:
      return nextOfContainer(state, event);
  }
}

/** Ephemeral containers come into a pod that runs; what has another image begins without the back-off of the old one. */
function updated(before: PodState, pod: Pod): PodState {
  const images = new Map(allContainers(before.pod).map(({ name, image }) => [name, image]));
  const renewed = new Set(allContainers(pod).flatMap(({ name, image }) => (images.get(name) === image ? [] : name)));
  const backOffs = Object.fromEntries(Object.entries(before.backOffs).filter(([name]) => !renewed.has(name)));
  const state = renewed.size === 0 ? before : { ...before, backOffs };
  const fresh = ephemeralContainers(pod).filter(({ name }) => state.containers[name] === undefined);
  if (fresh.length === 0) return { ...state, pod };
  const waiting = { kind: "waiting", attempt: 0, reason: "ContainerCreating", message: "" } as const;
  const added = Object.fromEntries(fresh.map(({ name }) => [name, waiting]));
  return { ...state, pod, containers: { ...state.containers, ...added } };
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
  const asked = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  const removal = state.removal ?? (isRemoval(cause) ? { cause, at, ...asked } : undefined);
  const marked = removal === undefined ? state : { ...state, removal };
  if (state.life.kind === "pending" || state.life.kind === "active") {
    const unadmitted = state.life.kind === "pending" ? { unadmitted: true as const } : {};
    return { ...marked, life: { kind: "terminating", cause, since: at, ...asked, ...unadmitted } };
  }
  return shorterGrace(marked, gracePeriodSeconds);
}

/** As in the kubelet a grace period that runs may be shortened, never prolonged. */
function shorterGrace(state: PodState, seconds: number | undefined): PodState {
  if (state.life.kind !== "terminating" || seconds === undefined || seconds >= grace(state)) return state;
  const removal = state.removal === undefined ? {} : { removal: { ...state.removal, gracePeriodSeconds: seconds } };
  return { ...state, ...removal, life: { ...state.life, gracePeriodSeconds: seconds } };
}

const SYNC_RETRY = { first: 500, factor: 2, max: 122_000 };

/** Volumes and sandboxes are tried again as the kubelet's volume manager does: 0.5 s, doubling to about 2 min. */
function syncFailed(state: PodState, message: string, now: number): PodState {
  const count = (state.syncFailure?.count ?? 0) + 1;
  const delay = Math.min(SYNC_RETRY.max, SYNC_RETRY.first * SYNC_RETRY.factor ** (count - 1));
  return { ...state, syncFailure: { message, notBefore: now + delay, count } };
}

function sandboxPrepared(state: PodState): PodState {
  if (state.sandbox.kind !== "ready" || state.sandbox.takenOver === undefined) return state;
  const { takenOver: _, ...sandbox } = state.sandbox;
  return { ...without(state, "syncFailure"), sandbox };
}

/** A dead sandbox takes its containers along; the init containers will run again in the next one. */
function sandboxDead(state: PodState, id: string, attempt: number): PodState {
  if (state.sandbox.kind === "ready" && state.sandbox.id !== id) return state;
  const containers = mapValues(
    state.containers,
    (container): ContainerState =>
      container.kind === "exited" ? { ...container, exit: { ...container.exit, stale: true } } : container,
  );
  const initialized = initContainers(state.pod).length === 0;
  return { ...state, sandbox: { kind: "dead", id, attempt }, containers, initialized };
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function without<K extends keyof PodState>(state: PodState, key: K): Omit<PodState, K> {
  const { [key]: _gone, ...rest } = state;
  return rest;
}
