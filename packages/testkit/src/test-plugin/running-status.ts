/** The status of a pod beside one plugin, as the agent shows it to plugins while all its containers run. Pure. */
import { type Pod, type PodCondition, rfc3339 } from "@hooklet/core";
import { podConditions, qosClass } from "@hooklet/core/rules";

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
    const state = { running: { startedAt: rfc3339(startedAt) } };
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
  const others = [...conditions].map(([type, one]) => ({ ...one, type }));
  const shown = podConditions({
    pod,
    phase: "Running",
    sandboxReady: true,
    initStatuses: initContainerStatuses,
    statuses: containerStatuses,
    others,
  });
  return {
    phase: "Running",
    conditions: shown.map((one) => ({ lastTransitionTime: rfc3339(startTime), ...one })),
    ...(ips[0] !== undefined && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: rfc3339(startTime),
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    containerStatuses,
    qosClass: qosClass(pod),
  };
}
