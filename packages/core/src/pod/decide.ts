/**
 * What a pod needs next: one step, from its state alone. The kubelet's computePodActions, one action at a time, so that
 * each decision sees the result of the one before. Pure.
 */

import {
  type Container,
  ephemeralContainers,
  initContainers,
  isSidecar,
  mainContainers,
  type RestartPolicy,
  restartPolicy,
} from "@hooklet/manifest";
import { backOffUntil, boundedSeconds } from "@hooklet/utils";
import { initDone } from "./next-container.js";
import { isRestartingAll, policyOf } from "./restart.js";
import type { ContainerState, Exited, PodState } from "./state.js";

export type Step =
  | { readonly do: "admit" }
  | { readonly do: "createSandbox"; readonly attempt: number }
  /** Let plugins have their say about the sandbox of a pod that is taken over. */
  | { readonly do: "prepareSandbox"; readonly attempt: number }
  /** Stop what is left of the dead sandbox and remove it. */
  | { readonly do: "replaceSandbox"; readonly id: string }
  | { readonly do: "startContainer"; readonly container: string }
  | { readonly do: "killContainer"; readonly container: string }
  /** Kill what runs and remove all containers: they start again in the existing sandbox. */
  | { readonly do: "resetContainers" }
  | { readonly do: "exceedDeadline" }
  | { readonly do: "complete" }
  | { readonly do: "terminate" }
  | { readonly do: "remove" }
  /** Nothing to do before an event, or before this time (monotonic milliseconds). */
  | { readonly do: "wait"; readonly until?: number };

/** `now`: monotonic milliseconds. */
export function decide(state: PodState, now: number): Step {
  switch (state.life.kind) {
    case "pending": {
      // A pod that is taken over and has done its work asks for nothing any more: it cannot be rejected.
      if (hasNothingLeft(state)) return { do: "complete" };
      const until = state.life.postponed?.notBefore ?? now;
      return until > now ? { do: "wait", until } : { do: "admit" };
    }
    case "active":
      return active(state, now);
    case "terminating":
      return { do: "terminate" };
    case "rejected":
    case "ended":
      return state.removal === undefined ? { do: "wait" } : { do: "remove" };
    case "gone":
      return { do: "wait" };
  }
}

function active(state: PodState, now: number): Step {
  const deadline = deadlineAt(state);
  if (deadline !== undefined && deadline <= now) return { do: "exceedDeadline" };
  const step = work(state, now);
  if (step.do !== "wait" || deadline === undefined) return step;
  return { do: "wait", until: Math.min(step.until ?? deadline, deadline) };
}

/** Monotonic milliseconds at which activeDeadlineSeconds have passed. */
function deadlineAt(state: PodState): number | undefined {
  const seconds = state.pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? undefined : state.startedMonotonic + boundedSeconds(seconds) * 1000;
}

function work(state: PodState, now: number): Step {
  // Before a dead sandbox is replaced, as in the kubelet: the call for all is not forgotten with it.
  if (isRestartingAll(state)) return { do: "resetContainers" };
  if (state.sandbox.kind === "dead") return { do: "replaceSandbox", id: state.sandbox.id };
  const kill = Object.entries(state.containers).find(([, container]) => container.kind === "running" && container.kill);
  if (kill !== undefined) return { do: "killContainer", container: kill[0] };
  const step = ephemeral(state, now) ?? containers(state, now);
  if (step.do !== "complete" && state.sandbox.kind === "ready" && state.sandbox.takenOver) {
    return afterSyncFailure(state, now, { do: "prepareSandbox", attempt: state.sandbox.attempt });
  }
  if (step.do !== "startContainer" || state.sandbox.kind === "ready") return step;
  // A pod that never restarts does not get a second sandbox for containers that have run in the first one.
  if (restartPolicy(state.pod) === "Never" && hasRun(state)) return { do: "complete" };
  return afterSyncFailure(state, now, { do: "createSandbox", attempt: state.sandbox.nextAttempt });
}

/**
 * True when a pod whose sandbox died gets a new one: when a container of it is to be started, now or later (the kubelet's
 * CreateSandbox). A pod that has done all it is to do only loses the dead one.
 */
export function needsNewSandbox(state: PodState): boolean {
  if (restartPolicy(state.pod) === "Never" && hasRun(state)) return false;
  return containers(state, Number.POSITIVE_INFINITY).do !== "complete";
}

function afterSyncFailure({ syncFailure }: PodState, now: number, step: Step): Step {
  if (syncFailure === undefined || now >= syncFailure.notBefore) return step;
  return { do: "wait", until: syncFailure.notBefore };
}

function hasNothingLeft(state: PodState): boolean {
  if (!hasRun(state) || isRestartingAll(state)) return false;
  return containers(state, Number.POSITIVE_INFINITY).do === "complete";
}

/** Some container of it is or was in the runtime; containers removed by a restart of all do not count. */
function hasRun(state: PodState): boolean {
  return Object.values(state.containers).some(
    (container) => container.kind !== "waiting" || (container.last !== undefined && container.last.id !== ""),
  );
}

/** Ephemeral containers start before all others, in an existing sandbox. */
function ephemeral(state: PodState, now: number): Step | undefined {
  if (state.sandbox.kind !== "ready") return undefined;
  const next = ephemeralContainers(state.pod).find(({ name }) => (nextStart(state, name, "Never") ?? Infinity) <= now);
  return next === undefined ? undefined : { do: "startContainer", container: next.name };
}

function containers(state: PodState, now: number): Step {
  let until = Number.POSITIVE_INFINITY;
  const wants = (container: Container, restart: RestartPolicy): Step | undefined => {
    const at = nextStart(state, container.name, restart);
    if (at === undefined) return undefined;
    if (at <= now) return { do: "startContainer", container: container.name };
    until = Math.min(until, at);
    return undefined;
  };
  const wait = (): Step => (until === Number.POSITIVE_INFINITY ? { do: "wait" } : { do: "wait", until });

  if (
    mainContainers(state.pod).every((container) => isDone(state.containers[container.name], policyOf(state, container)))
  ) {
    return { do: "complete" };
  }
  for (const container of initContainers(state.pod)) {
    const done = state.initialized || initDone(state, container);
    if (isSidecar(container)) {
      const step = wants(container, "Always");
      if (step !== undefined) return step;
    } else if (!done) {
      const policy = policyOf(state, container);
      if (policy === "Never" && hasFailed(state.containers[container.name])) return { do: "complete" };
      const step = wants(container, initPolicy(state.containers[container.name], policy));
      if (step !== undefined) return step;
    }
    if (!done) return wait();
  }
  for (const container of mainContainers(state.pod)) {
    const step = wants(container, mainPolicy(state, container));
    if (step !== undefined) return step;
  }
  return wait();
}

/** A pod that continues in a new sandbox starts all main containers there, except those that have completed. */
function mainPolicy(state: PodState, container: Container): RestartPolicy {
  const policy = policyOf(state, container);
  const now = state.containers[container.name];
  const isStale = now?.kind === "exited" && now.exit.stale === true;
  return isStale && policy === "Never" && restartPolicy(state.pod) !== "Never" ? "Always" : policy;
}

/** Init containers run until they succeed, and again in a new sandbox, with any policy. */
function initPolicy(container: ContainerState | undefined, policy: RestartPolicy): RestartPolicy {
  if (container?.kind !== "exited" || container.exit.stale !== true) return policy;
  return policy === "OnFailure" || container.exit.exitCode === 0 ? "Always" : policy;
}

function hasFailed(container: ContainerState | undefined): boolean {
  return container?.kind === "exited" && container.exit.exitCode !== 0;
}

/** When a container is to be started (monotonic milliseconds), undefined when it is not. */
export function nextStart(state: PodState, name: string, policy: RestartPolicy): number | undefined {
  const container = state.containers[name];
  if (container === undefined || container.kind === "running" || container.kind === "starting") return undefined;
  if (container.kind === "waiting") return container.notBefore ?? Number.NEGATIVE_INFINITY;
  if (!restarts(container, policy)) return undefined;
  return backOffUntil(state.backOffs[name], container.exit.seen);
}

/** The restart rule for a container that has ended. */
export function restarts(container: Exited, policy: RestartPolicy): boolean {
  if (policy === "Always") return true;
  if (policy === "Never") return false;
  return container.exit.exitCode !== 0 || container.killed === true;
}

/** It has ended and its policy wants it no more. */
export function isDone(container: ContainerState | undefined, policy: RestartPolicy): boolean {
  return container?.kind === "exited" && !restarts(container, policy);
}
