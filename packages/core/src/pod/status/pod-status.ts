/** A pod's whole status from its state, as a kubelet reports it. Pure. */

import {
  type Container,
  ephemeralContainers,
  initContainers,
  isSidecar,
  mainContainers,
  type Pod,
  qosClass,
} from "@hooklet/manifest";
import { rfc3339 } from "@hooklet/utils";
import type { Rejection } from "../../hooks/verdict.js";
import { isDone } from "../decide.js";
import { grace } from "../grace.js";
import { isRestartingAll, policyOf } from "../restart.js";
import type { Life, PodState } from "../state.js";
import { type Condition, podConditions } from "./conditions.js";
import { containerStatus, type StatusContext } from "./container-status.js";
import { hasStarted, type Phase, podPhase } from "./phase.js";
import type { ContainerStatus, PodCondition, PodStatus } from "./status-types.js";

interface PodStatusContext extends StatusContext {
  /** Milliseconds since the epoch. */
  readonly wall: number;
  /** The node's address; status.hostIP is left out on a standalone node, as in the kubelet. */
  readonly nodeIp: string;
  /** The status before, whose transition times are kept. */
  readonly previous?: PodStatus;
}

export function podStatus(state: PodState, context: PodStatusContext): PodStatus {
  const { pod, life } = state;
  const final = finalWord(life);
  if (life.kind === "rejected") return rejectedStatus(state, final);
  const ended = life.kind === "ended" || life.kind === "gone";
  const restartingAll = isRestartingAll(state);
  const statusOf = (container: Container) => containerStatus(state, container, { ...context, restartingAll });
  const init = initContainers(pod).map(statusOf);
  const main = mainContainers(pod).map(statusOf);
  const ephemeral = ephemeralContainers(pod).map((container) => ephemeralStatus(statusOf(container)));
  // Containers that are killed to start again have not failed.
  const phase =
    final?.phase ??
    (restartingAll ? (context.previous?.phase as Phase | undefined) : undefined) ??
    stickyPhase(context.previous, phaseOf(state, [...init, ...main], ended));
  const initStatuses = ended ? withLostInit(init) : init;
  const statuses = ended ? withLostMain(pod, init, main) : main;
  const sandboxReady = state.sandbox.kind === "ready" && !ended;
  const others = othersOf(state);
  const conditions = podConditions({ pod, phase, sandboxReady, initStatuses, statuses, others, restartingAll });
  const ips = addresses(state, context);
  return {
    phase,
    conditions: withTimes(conditions, context),
    ...(final === undefined ? postponed(life) : { reason: final.reason, message: final.message }),
    ...(ips.length === 0 ? {} : { podIP: ips[0] as string, podIPs: ips.map((ip) => ({ ip })) }),
    startTime: rfc3339(state.startTime),
    ...(initStatuses.length === 0 ? {} : { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    // It never changes.
    qosClass: context.previous?.qosClass ?? qosClass(pod),
  };
}

/** An ephemeral container is neither ready nor started: nothing waits for it. */
function ephemeralStatus({
  started: _,
  resources: __,
  allocatedResources: ___,
  ...status
}: ContainerStatus): ContainerStatus {
  return { ...status, ready: false };
}

interface FinalWord {
  readonly phase: Phase;
  readonly reason: string;
  readonly message: string;
}

/** A cause that determines phase, reason and message, whatever the containers did. */
function finalWord(life: Life): FinalWord | undefined {
  if (life.kind === "rejected") return rejection(life.reason, life.message);
  if (life.kind !== "terminating" && life.kind !== "ended") return undefined;
  const { cause } = life;
  switch (cause.kind) {
    case "evicted":
      return { phase: "Failed", reason: cause.reason, message: cause.message };
    case "rejected":
      return rejection(cause.reason, cause.message);
    case "deadline":
      return { phase: "Failed", reason: "DeadlineExceeded", message: deadlineMessage };
    default:
      return undefined;
  }
}

export const deadlineMessage = "Pod was active on the node longer than the specified deadline";

function rejection(reason: string, message: string): FinalWord {
  return { phase: "Failed", reason, message: `Pod was rejected: ${message}` };
}

function rejectedStatus(state: PodState, final: FinalWord | undefined): PodStatus {
  return { ...final, startTime: rfc3339(state.startTime), qosClass: qosClass(state.pod) };
}

/** The status of a pod that the agent rejected before taking it. `at`: milliseconds since the epoch. */
export function withRejection(pod: Pod, { reason, message }: Rejection, at: number): Pod {
  return { ...pod, status: { ...rejection(reason, message), startTime: rfc3339(at) } as NonNullable<Pod["status"]> };
}

/** What an admission waits for. */
function postponed(life: Life): { readonly reason?: string; readonly message?: string } {
  if (life.kind !== "pending" || life.postponed === undefined) return {};
  const { reason, message } = life.postponed;
  return { reason, message };
}

/** A container that was killed to be started again may have ended with 0. */
function phaseOf(state: PodState, statuses: readonly ContainerStatus[], ended: boolean): Phase {
  const phase = podPhase(state.pod, statuses, ended);
  if (phase !== "Succeeded" || state.life.kind !== "active") return phase;
  const isOver = mainContainers(state.pod).every((own) => isDone(state.containers[own.name], policyOf(state, own)));
  return isOver ? phase : "Running";
}

/** Succeeded and Failed are for good. */
function stickyPhase(previous: PodStatus | undefined, phase: Phase): Phase {
  const before = previous?.phase;
  return before === "Succeeded" || before === "Failed" ? before : phase;
}

function disruption(life: Life): readonly Condition[] {
  if (life.kind !== "terminating" && life.kind !== "ended") return [];
  if (life.cause.kind !== "evicted" || life.cause.condition === undefined) return [];
  return [{ status: "True", ...life.cause.condition }];
}

/** The conditions of plugins, then that of the eviction, which wins for its type. */
function othersOf({ life, overrides }: PodState): readonly Condition[] {
  const evicted = disruption(life);
  const taken = new Set(evicted.map(({ type }) => type));
  const conditions = Object.entries(overrides.conditions).map(([type, condition]) => ({ type, ...condition }));
  return [...conditions.filter(({ type }) => !taken.has(type)), ...evicted];
}

function withTimes(conditions: readonly Condition[], context: PodStatusContext): readonly PodCondition[] {
  const before = new Map((context.previous?.conditions ?? []).map((condition) => [condition.type, condition]));
  return conditions.map(({ type, status, ...words }) => {
    const old = before.get(type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : rfc3339(context.wall);
    return { type, status, lastProbeTime: null, lastTransitionTime, ...words };
  });
}

/** Without a sandbox the last address stays, as in the kubelet. */
function addresses(state: PodState, context: PodStatusContext): readonly string[] {
  if (state.sandbox.kind !== "ready") return (context.previous?.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
  if (state.sandbox.ips.length > 0) return state.sandbox.ips;
  return state.pod.spec.hostNetwork === true ? [context.nodeIp] : [];
}

/** The pod as `get pods -o json` shows it. */
export function withStatus(state: PodState, status: PodStatus): Pod {
  const removal = state.removal;
  const metadata =
    removal === undefined
      ? state.pod.metadata
      : {
          ...state.pod.metadata,
          deletionTimestamp: rfc3339(removal.at + grace(state) * 1000),
          deletionGracePeriodSeconds: grace(state),
        };
  // kubernetes-types is older than this status and has no null times.
  return { ...state.pod, metadata, status: status as unknown as NonNullable<Pod["status"]> };
}

// Statuses of containers of an ended pod that never ran or were lost (the kubelet's status manager, TerminatePod).

/** Once a pod had begun its main containers, each that shows no end counts as failed. */
export function withLostMain(
  pod: Pod,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
): readonly ContainerStatus[] {
  return hadBegun(pod, init, main) ? main.map(ended) : main;
}

/** The same for init containers, up to the last one that was started, and for the first one in any case. */
export function withLostInit(init: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const last = Math.max(0, init.findLastIndex(hasStarted));
  return init.map((status, i) => (i <= last ? ended(status) : status));
}

function hadBegun(pod: Pod, init: readonly ContainerStatus[], main: readonly ContainerStatus[]): boolean {
  const last = initContainers(pod).at(-1);
  if (last === undefined || main.some(hasStarted)) return true;
  const { state, lastState, started } = init.find(({ name }) => name === last.name) ?? {};
  if (isSidecar(last) && state?.running !== undefined && started === true) return true;
  return [state, lastState].some((one) => one?.terminated?.exitCode === 0);
}

function ended(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  const terminated = {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "The container could not be located when the pod was terminated",
    startedAt: null,
    finishedAt: null,
  };
  // kubernetes-types has no null times.
  return { ...status, state: { terminated } as unknown as NonNullable<ContainerStatus["state"]> };
}
