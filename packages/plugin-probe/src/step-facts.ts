/** A pod and one of its containers as a worker's step sees them. */
import { allContainers, type NodeContext, type Pod, type PodsPort } from "@hooklet/core";
import { shouldRestart } from "@hooklet/core/rules";
import type { ContainerRef } from "@hooklet/core/subsystem";
import type { ContainerRecord, Containers } from "./probed-containers.js";
import type { ContainerLook, PodLook } from "./worker/state-machine.js";

interface AgentFacts {
  readonly clock: Pick<NodeContext["clock"], "now">;
  readonly pods: Pick<PodsPort, "get" | "running">;
}

export function stepFacts(
  agent: AgentFacts,
  containers: Pick<Containers, "get">,
  { podUid, container }: ContainerRef,
): PodLook | undefined {
  const pod = agent.pods.get(podUid);
  if (pod === undefined) return undefined;
  const ref = { podUid, container };
  return {
    phase: pod.status?.phase ?? "Running",
    deletionRequested: pod.metadata.deletionTimestamp !== undefined,
    container: containerLook(agent, pod, ref, containers.get(ref)),
  };
}

function containerLook(
  { clock, pods }: AgentFacts,
  pod: Pod,
  ref: ContainerRef,
  record: ContainerRecord | undefined,
): ContainerLook | undefined {
  const running = pods.running(ref);
  if (running !== undefined) {
    return {
      id: running.containerId,
      state: "running",
      started: record?.started ?? false,
      runningForSeconds: (clock.now() - running.startedAt) / 1000,
      willRestart: true,
      adopted: record?.remembered !== undefined && running.containerId === record.containerId,
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
