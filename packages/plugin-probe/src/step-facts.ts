/** A pod and one of its containers as a worker's step sees them. */
import { allContainers, type Pod, type PodsPort } from "@hooklet/core";
import { shouldRestart } from "@hooklet/core/rules";
import type { ContainerRef } from "@hooklet/core/subsystem";
import type { ContainerLook, PodLook } from "./worker/state-machine.js";

export interface StepFacts {
  readonly ref: ContainerRef;
  readonly started: boolean;
  /** Container that ran already when the agent started. */
  readonly adoptedId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function stepFacts(pods: Pick<PodsPort, "get" | "running">, facts: StepFacts): PodLook | undefined {
  const pod = pods.get(facts.ref.podUid);
  if (pod === undefined) return undefined;
  return {
    phase: pod.status?.phase ?? "Running",
    deletionRequested: pod.metadata.deletionTimestamp !== undefined,
    container: containerLook(pods, pod, facts),
  };
}

function containerLook(pods: Pick<PodsPort, "running">, pod: Pod, facts: StepFacts): ContainerLook | undefined {
  const { ref, started, now } = facts;
  const running = pods.running(ref);
  if (running !== undefined) {
    return {
      id: running.containerId,
      state: "running",
      started,
      runningForSeconds: (now - running.startedAt) / 1000,
      willRestart: true,
      adopted: running.containerId === facts.adoptedId,
    };
  }
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const byName = ({ name }: { readonly name: string }): boolean => name === ref.container;
  const status = containerStatuses.find(byName) ?? initContainerStatuses.find(byName);
  if (status === undefined) return undefined;
  const { terminated } = status.state ?? {};
  const common = { id: idOf(status.containerID), started: false, runningForSeconds: 0, adopted: false };
  if (terminated === undefined) return { ...common, state: "waiting", willRestart: true };
  return { ...common, state: "terminated", willRestart: comesBack(pod, ref.container, terminated.exitCode) };
}

/** By its own rules and policy, or with all the others. */
function comesBack(pod: Pod, name: string, exitCode: number): boolean {
  const container = allContainers(pod).find((own) => own.name === name);
  const conditions = pod.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "AllContainersRestarting" && status === "True")) return true;
  return container !== undefined && shouldRestart(pod, container, exitCode);
}

/** `containerd://ID` without its prefix. */
function idOf(containerID: string | undefined): string {
  return (containerID ?? "").replace(/^[^:]*:\/\//, "");
}
