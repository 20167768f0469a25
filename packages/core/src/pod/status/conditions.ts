/** The pod's conditions, with the kubelet's order and texts. Pure. */
import { initContainers, isSidecar, mainContainers, mayRestartAllContainers, type Pod } from "@hooklet/manifest";
import { hasStarted, type Phase } from "./phase.js";
import type { ContainerStatus } from "./status-types.js";

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

export interface ConditionInput {
  readonly pod: Pod;
  readonly phase: Phase;
  readonly sandboxReady: boolean;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** What is not core's own: of plugins, and of an eviction. */
  readonly others: readonly Condition[];
  /** A container has ended in a way that restarts all of them. */
  readonly restartingAll?: boolean;
}

/** Types that plugins cannot set. */
export const ownConditions: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting",
];

export function podConditions(input: ConditionInput): readonly Condition[] {
  const containersReady = containersReadyCondition(input);
  const before: readonly Condition[] = [
    ...input.others,
    { type: "PodReadyToStartContainers", status: input.sandboxReady ? "True" : "False" },
    initialized(input),
  ];
  return [
    ...before,
    ready(input.pod, before, containersReady),
    containersReady,
    { type: "PodScheduled", status: "True" },
    ...allContainersRestarting(input),
  ];
}

/** Only for a pod that has such a rule. */
function allContainersRestarting({ pod, phase, restartingAll }: ConditionInput): readonly Condition[] {
  if (!mayRestartAllContainers(pod)) return [];
  const type = "AllContainersRestarting";
  if (phase === "Succeeded") return [{ type, status: "False", reason: "PodCompleted" }];
  if (phase === "Failed") return [{ type, status: "False", reason: "PodFailed" }];
  if (restartingAll !== true) return [{ type, status: "False" }];
  const message = "container exited with restart policy rule";
  return [{ type, status: "True", reason: "RestartAllContainersStarted", message }];
}

function initialized({ pod, phase, initStatuses, statuses }: ConditionInput): Condition {
  const type = "Initialized";
  const init = initContainers(pod);
  const byName = new Map(initStatuses.map((status) => [status.name, status]));
  const unknown = init.filter((container) => !byName.has(container.name)).map((container) => container.name);
  if (phase === "Succeeded" && unknown.length === 0) return { type, status: "True", reason: "PodCompleted" };
  if (statuses.some(hasStarted)) return { type, status: "True" };
  const incomplete = init
    .filter((container) => {
      const status = byName.get(container.name);
      return status !== undefined && !(isSidecar(container) ? status.started === true : status.ready);
    })
    .map((container) => container.name);
  return unfinished(type, "ContainersNotInitialized", unknown, incomplete, "incomplete");
}

function containersReadyCondition({ pod, phase, initStatuses, statuses }: ConditionInput): Condition {
  const type = "ContainersReady";
  const byName = new Map([...initStatuses, ...statuses].map((status) => [status.name, status]));
  const counted = [...initContainers(pod).filter(isSidecar), ...mainContainers(pod)];
  const unknown = counted.filter((container) => !byName.has(container.name)).map((container) => container.name);
  if (phase === "Succeeded" && unknown.length === 0) return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed" && unknown.length === 0) return { type, status: "False", reason: "PodFailed" };
  const unready = counted
    .filter((container) => byName.get(container.name)?.ready === false)
    .map((container) => container.name);
  return unfinished(type, "ContainersNotReady", unknown, unready, "unready");
}

function unfinished(
  type: string,
  reason: string,
  unknown: readonly string[],
  others: readonly string[],
  word: string,
): Condition {
  const messages: string[] = [];
  if (unknown.length > 0) messages.push(`containers with unknown status: [${unknown.join(" ")}]`);
  if (others.length > 0) messages.push(`containers with ${word} status: [${others.join(" ")}]`);
  if (messages.length === 0) return { type, status: "True" };
  return { type, status: "False", reason, message: messages.join(", ") };
}

/** A pod with readiness gates is ready only while each of them is True. */
function ready(pod: Pod, conditions: readonly Condition[], containersReady: Condition): Condition {
  if (containersReady.status !== "True") return { ...containersReady, type: "Ready" };
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = conditions.find(({ type }) => type === conditionType);
    if (condition === undefined) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (messages.length === 0) return { type: "Ready", status: "True" };
  return { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}
