/** The status of a pod beside one plugin, as the agent shows it to plugins while all its containers run. Pure. */
import type { Pod, PodCondition } from "@hooklet/core";
import { qosClass } from "@hooklet/core/rules";

export interface RunningContainer {
  readonly containerId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly restartCount: number;
  readonly imageRef: string;
  readonly ready: boolean;
  readonly started: boolean;
}

type PodStatus = NonNullable<Pod["status"]>;

const timeText = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

export interface RunningParts {
  readonly containers: ReadonlyMap<string, RunningContainer>;
  /** What plugins set, by type. */
  readonly conditions: ReadonlyMap<string, PodCondition>;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly ips: readonly string[];
}

export function runningStatus(pod: Pod, { containers, conditions, startTime, ips }: RunningParts): PodStatus {
  const statusOf = ({ name, image = "" }: { readonly name: string; readonly image?: string }) => {
    const found = containers.get(name);
    if (found === undefined) return [];
    const { containerId, startedAt, restartCount, imageRef, ready, started } = found;
    const state = { running: { startedAt: timeText(startedAt) } };
    return [
      {
        name,
        image,
        imageID: imageRef,
        containerID: `simulated://${containerId}`,
        restartCount,
        ready,
        started,
        state,
        lastState: {},
      },
    ];
  };
  const containerStatuses = pod.spec.containers.flatMap(statusOf);
  const initContainerStatuses = (pod.spec.initContainers ?? []).flatMap(statusOf);
  const allReady = containerStatuses.every(({ ready }) => ready);
  const gates = pod.spec.readinessGates ?? [];
  const open = gates.every(({ conditionType }) => conditions.get(conditionType)?.status === "True");
  const own = [
    condition("PodReadyToStartContainers", true, startTime),
    condition("Initialized", true, startTime),
    condition("Ready", allReady && open, startTime),
    condition("ContainersReady", allReady, startTime),
    condition("PodScheduled", true, startTime),
  ];
  const others = [...conditions].map(([type, one]) => ({
    lastTransitionTime: timeText(startTime),
    ...one,
    type,
  }));
  return {
    phase: "Running",
    conditions: [...own, ...others],
    ...(ips[0] !== undefined && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: timeText(startTime),
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    containerStatuses,
    qosClass: qosClass(pod),
  };
}

function condition(type: string, holds: boolean, since: number) {
  return { type, status: holds ? "True" : "False", lastTransitionTime: timeText(since) };
}
