/** The part of `next` that is about one container of the pod. Pure. */

import { allContainers, type Container, initContainers, isSidecar } from "@hooklet/manifest";
import { type BackOff, backOffUntil, nextBackOff } from "@hooklet/utils";
import { attemptsKnown } from "./reset.js";
import type { ContainerState, Exit, Exited, Observation, PodEvent, PodState, Starting } from "./state.js";
import type { OverrideEvent } from "./status-overrides.js";

type ContainerEvent = Exclude<Extract<PodEvent, { container: string }>, OverrideEvent>;

export function nextOfContainer(state: PodState, event: ContainerEvent): PodState {
  const container = state.containers[event.container];
  if (container === undefined) return state;
  if (event.type === "backOffKnown") {
    return { ...state, backOffs: { ...state.backOffs, [event.container]: event.backOff } };
  }
  if (event.type === "attemptsKnown") return attemptsKnown(state, event.container, event.attempts);
  if (event.type === "gate") {
    const before = state.gates[event.container] ?? {};
    const gate = { ...before, ...event.gate };
    if (gate.ready === before.ready && gate.started === before.started) return state;
    return { ...state, gates: { ...state.gates, [event.container]: gate } };
  }
  const changed = shownAs(state, event.container, container, stepped(state, container, event));
  if (changed === container) return state;
  const after = { ...state, containers: { ...state.containers, [event.container]: changed } };
  if (event.type === "starting") return begun(after, event.container, container, event.now);
  return after.initialized ? after : { ...after, initialized: isInitialized(after, event.container, changed) };
}

function stepped(
  state: PodState,
  container: ContainerState,
  event: Exclude<ContainerEvent, { type: "gate" | "backOffKnown" | "attemptsKnown" }>,
): ContainerState {
  if (event.type === "starting") return starting(container, state.backOffs[event.container]);
  return nextContainer(container, event.type === "observed" ? placed(state, event) : event);
}

/** The kubelet publishes no container before its postStart has ended. */
function shownAs(state: PodState, name: string, before: ContainerState, after: ContainerState): ContainerState {
  if (before.kind !== "starting" || after.kind !== "running") return after;
  const own = allContainers(state.pod).find((container) => container.name === name);
  return own?.lifecycle?.postStart === undefined ? after : { ...after, shownAs: before };
}

/** What ends without a sandbox of the pod ended with it. */
function placed(state: PodState, event: Extract<PodEvent, { type: "observed" }>): typeof event {
  if (event.observation.kind !== "exited" || state.sandbox.kind === "ready") return event;
  return { ...event, observation: { kind: "exited", exit: { ...event.observation.exit, stale: true } } };
}

/** Every start but the first increases the back-off, and gates start again. */
function begun(state: PodState, name: string, before: ContainerState, now: number): PodState {
  const { [name]: _gate, ...gates } = state.gates;
  if (before.kind !== "exited") return { ...state, gates };
  const backOff = nextBackOff(state.backOffs[name], before.exit.seen, now);
  return { ...state, gates, backOffs: { ...state.backOffs, [name]: backOff } };
}

function nextContainer(
  container: ContainerState,
  event: Exclude<ContainerEvent, { type: "gate" | "backOffKnown" | "attemptsKnown" | "starting" }>,
): ContainerState {
  switch (event.type) {
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
    case "postStartEnded": {
      if (container.kind !== "running") return container;
      const { shownAs: _, ...shown } = container;
      return shown;
    }
    case "failed":
      if (container.kind !== "exited" && container.kind !== "running") return container;
      return { ...container, failure: { reason: event.reason, message: event.message } };
  }
}

function starting(container: ContainerState, backOff: BackOff | undefined): ContainerState {
  if (container.kind === "waiting") {
    const was =
      container.notBefore === undefined ? {} : { was: { reason: container.reason, message: container.message } };
    const failures = container.failures === undefined ? {} : { failures: container.failures };
    return { kind: "starting", attempt: container.attempt, ...lastOf(container), ...was, ...failures };
  }
  if (container.kind !== "exited") return container;
  const { exit } = container;
  return { kind: "starting", attempt: exit.attempt + 1, last: exit, after: shownAfter(container, backOff) };
}

function shownAfter(container: Exited, backOff: BackOff | undefined): NonNullable<Starting["after"]> {
  const { seen } = container.exit;
  const waited = backOff !== undefined && backOffUntil(backOff, seen) > seen;
  return { ...lastOf(container), ...(waited ? { window: backOff.window } : {}) };
}

function observed(container: ContainerState, observation: Observation): ContainerState {
  if (observation.kind === "lost") return lost(container, observation);
  const attempt = observation.kind === "running" ? observation.attempt : observation.exit.attempt;
  if (attempt < attemptOf(container)) return container;
  if (container.kind === "exited" && attempt === container.exit.attempt) return container;
  const last = container.kind === "exited" ? { last: container.exit } : lastOf(container);
  if (observation.kind === "exited") {
    const killed = container.kind === "running" && container.kill !== undefined ? { killed: true } : {};
    const failure =
      container.kind === "running" && container.failure !== undefined ? { failure: container.failure } : {};
    return { kind: "exited", exit: observation.exit, ...last, ...killed, ...failure };
  }
  if (container.kind === "running" && container.id === observation.id) return container;
  const { id, startedAt, imageRef } = observation;
  return { kind: "running", attempt, id, startedAt, imageRef, ...last };
}

/** The runtime forgot a running container: its exit code is unknown, as the kubelet words it. */
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

/** Once a main container was made in this sandbox, the init containers are done, whatever is left of them. */
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
