/** One container's status (the kubelet's convertToAPIContainerStatuses). Pure. */

import { type Container, initContainers, isSidecar, podText } from "@hooklet/manifest";
import { backOffUntil, formatDuration, rfc3339 } from "@hooklet/utils";
import { restarts } from "../decide.js";
import { policyOf } from "../restart.js";
import { recursiveReadOnly } from "../spec/mounts.js";
import type { ContainerState, Exit, PodState } from "../state.js";
import type { StatusOverrides } from "../status-overrides.js";
import type { ContainerStatus } from "./status-types.js";

export interface StatusContext {
  /** Prefix of container ids: `containerd`. */
  readonly idPrefix: string;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** The runtime can make mounts read-only with all below them. */
  readonly recursiveReadOnly?: boolean;
  /** All of its containers are being removed to start again. */
  readonly restartingAll?: boolean;
}

type State = NonNullable<ContainerStatus["state"]>;

export interface ReadyFacts {
  /** An init container that is no sidecar. */
  readonly plainInit: boolean;
  /** Undefined as long as it has not ended. */
  readonly exitCode: number | undefined;
  readonly started: boolean;
  /** What probes and other plugins let through. */
  readonly gate: boolean;
}

/** An init container is ready when it has succeeded, any other one when it has started and no gate holds it back. */
export function containerReady({ plainInit, exitCode, started, gate }: ReadyFacts): boolean {
  return plainInit ? exitCode === 0 : started && gate;
}

export function containerStatus(state: PodState, container: Container, context: StatusContext): ContainerStatus {
  const now = state.containers[container.name] as ContainerState;
  const current = (now.kind === "running" ? now.shownAs : undefined) ?? now;
  const { shown, last } = shownState(state, container, current, context);
  const running = shown.running !== undefined;
  const plainInit = initContainers(state.pod).includes(container) && !isSidecar(container);
  // A pod that runs and is not admitted is being taken over: whether its containers are ready, its plugins have yet to say.
  const unheld = state.life.kind !== "pending";
  const override = state.gates[container.name];
  // A gate that is ready implies started.
  const gate = { ready: unheld, started: unheld || override?.ready === true, ...override };
  const started = running && gate.started;
  const ready = containerReady({ plainInit, exitCode: shown.terminated?.exitCode, started, gate: gate.ready });
  const id = idOf(current);
  const exists = id !== undefined;
  return {
    name: container.name,
    state: shown,
    lastState: last === undefined ? {} : { terminated: terminated(last, context.idPrefix) },
    ready,
    restartCount: restartCount(current),
    image: container.image ?? "",
    imageID: imageRefOf(current),
    ...(exists ? { containerID: `${context.idPrefix}://${id}` } : {}),
    started,
    ...(exists ? resourcesOf(container, state.overrides) : {}),
    ...allocatedResourcesStatus(container, state.overrides),
    ...volumeMounts(container, context.recursiveReadOnly === true),
  };
}

function restartCount(container: ContainerState): number {
  if (container.kind === "exited") return container.exit.attempt;
  if (container.kind === "running") return container.attempt;
  return container.last?.attempt ?? 0;
}

function idOf(container: ContainerState): string | undefined {
  if (container.kind === "running") return container.id;
  if (container.kind === "exited") return container.exit.id;
  return container.last?.id || undefined;
}

function imageRefOf(container: ContainerState): string {
  if (container.kind === "running") return container.imageRef;
  if (container.kind === "exited") return container.exit.imageRef;
  return container.last?.imageRef ?? "";
}

function shownState(
  state: PodState,
  container: Container,
  current: ContainerState,
  context: StatusContext,
): { shown: State; last?: Exit } {
  switch (current.kind) {
    case "running":
      return { shown: { running: { startedAt: rfc3339(current.startedAt) } }, ...optional(current.last) };
    case "waiting":
      return {
        shown: waiting(waitingReason(state, container, current.reason), current.message),
        ...optional(current.last),
      };
    case "starting":
      return starting(state, container, current, context);
    case "exited": {
      const held = heldBack(state, container, current, context);
      if (held === undefined)
        return { shown: { terminated: terminated(current.exit, context.idPrefix) }, ...optional(current.last) };
      return { shown: held, last: current.exit };
    }
  }
}

/** As it was before, until it runs. */
function starting(
  state: PodState,
  container: Container,
  { was, after, last }: Extract<ContainerState, { kind: "starting" }>,
  context: StatusContext,
): { shown: State; last?: Exit } {
  if (after !== undefined && last !== undefined) {
    if (after.window === undefined) {
      return { shown: { terminated: terminated(last, context.idPrefix) }, ...optional(after.last) };
    }
    return { shown: waiting("CrashLoopBackOff", backOffMessage(state, container.name, after.window)), last };
  }
  const reason = was?.reason ?? waitingReason(state, container, "ContainerCreating");
  return { shown: waiting(reason, was?.message ?? ""), ...optional(last) };
}

function optional(last: Exit | undefined): { last?: Exit } {
  return last === undefined ? {} : { last };
}

/** A main container waits with PodInitializing until the init containers are done, and so do those. */
function waitingReason(state: PodState, _container: Container, reason: string): string {
  if (reason !== "ContainerCreating") return reason;
  return initContainers(state.pod).length > 0 ? "PodInitializing" : reason;
}

function waiting(reason: string, message: string): State {
  return { waiting: message === "" ? { reason } : { reason, message } };
}

/** The waiting state of an ended container that will be started again, undefined when `terminated` says more. */
function heldBack(
  state: PodState,
  container: Container,
  current: Extract<ContainerState, { kind: "exited" }>,
  context: StatusContext,
): State | undefined {
  if (state.life.kind !== "active" || !restarts(current, policyOf(state, container))) return undefined;
  if (context.restartingAll === true) return undefined;
  const backOff = state.backOffs[container.name];
  const until = backOffUntil(backOff, current.exit.seen);
  if (backOff !== undefined && until > context.now) {
    return waiting("CrashLoopBackOff", crashLoopMessage(state, container.name));
  }
  return current.failure === undefined ? undefined : waiting(current.failure.reason, current.failure.message);
}

export function crashLoopMessage(state: PodState, container: string): string {
  return backOffMessage(state, container, state.backOffs[container]?.window ?? 0);
}

function backOffMessage(state: PodState, container: string, window: number): string {
  return `back-off ${formatDuration(window / 1000)} restarting failed container=${container} pod=${podText(state.pod)}`;
}

function terminated(exit: Exit, idPrefix: string): NonNullable<State["terminated"]> {
  if (exit.id === "") return takenAway(exit);
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    ...(exit.message === "" ? {} : { message: exit.message }),
    startedAt: rfc3339(exit.startedAt),
    finishedAt: rfc3339(exit.finishedAt),
    containerID: `${idPrefix}://${exit.id}`,
  };
}

/** The state of a container that was removed to start again: without its exit. */
function takenAway({ exitCode, reason, message }: Exit): NonNullable<State["terminated"]> {
  // kubernetes-types has no null times.
  const times = { startedAt: null, finishedAt: null } as unknown as { startedAt: string; finishedAt: string };
  return { exitCode, reason, message, ...times };
}

function volumeMounts(container: Container, canRecursively: boolean): Pick<ContainerStatus, "volumeMounts"> {
  if (container.volumeMounts === undefined || container.volumeMounts.length === 0) return {};
  return {
    volumeMounts: container.volumeMounts.map((mount) => ({
      name: mount.name,
      mountPath: mount.mountPath,
      ...(mount.readOnly ? { readOnly: true, recursiveReadOnly: recursiveMode(mount, canRecursively) } : {}),
    })),
  };
}

/** A mode that is required and not supported prevents the start; the status says Disabled meanwhile. */
function recursiveMode(mount: VolumeMount, can: boolean): "Enabled" | "Disabled" {
  try {
    return recursiveReadOnly(mount, can) ? "Enabled" : "Disabled";
  } catch {
    return "Disabled";
  }
}

type VolumeMount = NonNullable<Container["volumeMounts"]>[number];

// The resources in a container's status.

/** For an existing container: the applied resources, or those of its manifest where they are unknown. */
function resourcesOf(
  container: Container,
  overrides: StatusOverrides,
): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  const { limits, requests } = overrides.applied[container.name] ?? container.resources ?? {};
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

/** Health of the devices and the like that were given to it. */
export function allocatedResourcesStatus(
  container: Container,
  overrides: StatusOverrides,
): Pick<ContainerStatus, "allocatedResourcesStatus"> {
  const all = Object.values(overrides.allocated[container.name] ?? {});
  return all.length === 0 ? {} : { allocatedResourcesStatus: all.reduce(withResourceStatus) };
}

/** Merges the resource status of one manager into that of others: entries of the same name are replaced in place. */
export function withResourceStatus<Status extends { readonly name: string }>(
  before: readonly Status[],
  own: readonly Status[],
): readonly Status[] {
  const byName = new Map(own.map((status) => [status.name, status]));
  const names = new Set(before.map(({ name }) => name));
  return [...before.map((status) => byName.get(status.name) ?? status), ...own.filter(({ name }) => !names.has(name))];
}
