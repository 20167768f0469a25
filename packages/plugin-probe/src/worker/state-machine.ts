/**
 * One probe worker as a pure state machine: one container, one kind (the kubelet's prober/worker.go). A `look` at the
 * pod is a step; it may request a probe, whose outcome comes back as `probed`. An error as outcome does not change the state.
 * Pure.
 */
import { hasEnded } from "@hooklet/core";
import type { ProbeKind, Result } from "../types.js";

export interface WorkerRule {
  readonly kind: ProbeKind;
  readonly initialDelaySeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export interface WorkerState {
  /** "" until a container was seen. */
  readonly containerId: string;
  readonly lastResult: Result | undefined;
  /** How often lastResult came in a row. */
  readonly resultRun: number;
  /** Nothing is probed until there is a new container. */
  readonly onHold: boolean;
}

export const newWorker: WorkerState = { containerId: "", lastResult: undefined, resultRun: 0, onHold: false };

/** The container as a step finds it. */
export interface ContainerLook {
  /** "" while there is none. */
  readonly id: string;
  readonly state: "waiting" | "running" | "terminated";
  readonly started: boolean;
  /** Seconds since its start, with fractions. */
  readonly runningForSeconds: number;
  /** Terminated: its restart policy brings it back. */
  readonly willRestart: boolean;
  /** It ran already, for more than 10 s, when this agent started. */
  readonly adopted: boolean;
}

/** The pod as a step finds it. */
export interface PodLook {
  readonly phase: string;
  readonly deletionRequested: boolean;
  readonly container: ContainerLook | undefined;
}

export type WorkerEvent =
  /** `pod` undefined: the pod is not known (yet). */
  | { readonly type: "look"; readonly pod: PodLook | undefined }
  | { readonly type: "probed"; readonly result: "success" | "failure" };

/** What becomes of the result cache, in this order. */
export interface Change {
  /** Container id whose entry goes. */
  readonly drop?: string;
  readonly store?: { readonly containerId: string; readonly result: Result };
}

export interface Step {
  readonly state: WorkerState;
  readonly act: "wait" | "probe" | "end";
  readonly changes: readonly Change[];
}

const initialValue: Readonly<Record<ProbeKind, Result>> = {
  readiness: "failure",
  liveness: "success",
  startup: "unknown",
};

export function next(rule: WorkerRule, state: WorkerState, event: WorkerEvent): Step {
  return event.type === "probed" ? probed(rule, state, event.result) : look(rule, state, event.pod);
}

function look(rule: WorkerRule, before: WorkerState, pod: PodLook | undefined): Step {
  if (pod === undefined) return { state: before, act: "wait", changes: [] };
  if (hasEnded({ status: { phase: pod.phase } })) return { state: before, act: "end", changes: [] };
  const { container } = pod;
  if (container === undefined || container.id === "") return { state: before, act: "wait", changes: [] };

  const changes: Change[] = [];
  const store = (result: Result): void => void changes.push({ store: { containerId: container.id, result } });
  let state = before;
  if (container.id !== before.containerId) {
    if (before.containerId !== "") changes.push({ drop: before.containerId });
    // The run continues over containers: resultRun and lastResult stay.
    state = { ...before, containerId: container.id, onHold: false };
    if (!container.adopted) store(initialValue[rule.kind]);
  }
  const step = (act: Step["act"]): Step => ({ state, act, changes });

  if (state.onHold) return step("wait");
  if (container.state !== "running") {
    store("failure");
    return step(container.state === "waiting" || container.willRestart ? "wait" : "end");
  }
  if (pod.deletionRequested && rule.kind !== "readiness") {
    store("success");
    return step("end");
  }
  if (Math.trunc(container.runningForSeconds) < rule.initialDelaySeconds) return step("wait");
  if (container.started === (rule.kind === "startup")) return step("wait");
  return step("probe");
}

function probed(rule: WorkerRule, before: WorkerState, result: "success" | "failure"): Step {
  const resultRun = before.lastResult === result ? before.resultRun + 1 : 1;
  const state = { ...before, lastResult: result, resultRun };
  const threshold = result === "success" ? rule.successThreshold : rule.failureThreshold;
  if (resultRun < threshold) return { state, act: "wait", changes: [] };
  const changes = [{ store: { containerId: state.containerId, result } }];
  const holds = rule.kind === "startup" || (rule.kind === "liveness" && result === "failure");
  return { state: holds ? { ...state, onHold: true, resultRun: 0 } : state, act: "wait", changes };
}
