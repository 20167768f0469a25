/** Statuses of containers of an ended pod that never ran or were lost (the kubelet's status manager, TerminatePod). Pure. */
import { initContainers, isSidecar, type Pod } from "@hooklet/manifest";
import { hasStarted } from "./phase.js";
import type { ContainerStatus } from "./types.js";

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
