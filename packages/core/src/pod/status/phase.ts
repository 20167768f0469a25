/** The pod's phase from its container statuses (the kubelet's getPhase). Pure. */
import { type Container, initContainers, isSidecar, mainContainers, type Pod, shouldRestart } from "@hooklet/manifest";
import { RESTARTING_ALL_CONTAINERS } from "../restart.js";
import type { ContainerStatus } from "./status-types.js";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

/** `ended`: no container of the pod will run again. */
export function podPhase(pod: Pod, statuses: readonly ContainerStatus[], ended: boolean): Phase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const init = countInit(pod, byName);
  const main = countMain(pod, byName);
  if (init.failed > 0) return "Failed";
  const anyMainStarted = mainContainers(pod).some((container) => hasStarted(byName.get(container.name)));
  if (init.pending > 0 || (init.pendingSidecars > 0 && !anyMainStarted) || main.waiting > 0) return "Pending";
  const running = main.running + init.runningSidecars;
  if (main.unknown > 0) return "Pending";
  if (running > 0) return "Running";
  if (main.stopped === 0) return "Pending";
  if (!ended && main.restarting > 0) return "Running";
  return main.stopped === main.succeeded ? "Succeeded" : "Failed";
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function comesBack(pod: Pod, container: Container, { exitCode, reason }: Terminated): boolean {
  return reason === RESTARTING_ALL_CONTAINERS || shouldRestart(pod, container, exitCode);
}

export function hasStarted(status: ContainerStatus | undefined): boolean {
  const state = status?.state;
  return state?.running !== undefined || state?.terminated !== undefined || status?.lastState?.terminated !== undefined;
}

/** `failed`: for good. */
function countInit(pod: Pod, byName: ReadonlyMap<string, ContainerStatus>) {
  const count = { failed: 0, pending: 0, pendingSidecars: 0, runningSidecars: 0 };
  for (const container of initContainers(pod)) {
    const status = byName.get(container.name);
    const state = status?.state;
    const last = status?.lastState?.terminated;
    if (isSidecar(container)) {
      if (state?.running !== undefined) {
        count.runningSidecars++;
        if (status?.started !== true) count.pendingSidecars++;
      } else if (state?.terminated === undefined && last === undefined) count.pendingSidecars++;
    } else if (state?.terminated !== undefined) {
      if (state.terminated.exitCode !== 0 && !comesBack(pod, container, state.terminated)) count.failed++;
    } else if (state?.waiting !== undefined && last !== undefined) {
      if (last.exitCode !== 0 && !comesBack(pod, container, last)) count.failed++;
    } else count.pending++;
  }
  return count;
}

function countMain(pod: Pod, byName: ReadonlyMap<string, ContainerStatus>) {
  const count = { running: 0, waiting: 0, stopped: 0, restarting: 0, succeeded: 0, unknown: 0 };
  for (const container of mainContainers(pod)) {
    const status = byName.get(container.name);
    const state = status?.state;
    if (state?.running !== undefined) count.running++;
    else if (state?.terminated !== undefined) {
      count.stopped++;
      if (comesBack(pod, container, state.terminated)) count.restarting++;
      if (state.terminated.exitCode === 0) count.succeeded++;
    } else if (state?.waiting !== undefined) {
      const last = status?.lastState?.terminated;
      if (last === undefined) count.waiting++;
      else {
        count.stopped++;
        if (comesBack(pod, container, last)) count.restarting++;
      }
    } else count.unknown++;
  }
  return count;
}
