/** What kubectl's table says about a pod. Source: kubernetes/pkg/printers/internalversion/printers.go, printPod (1.36). Pure. */

import { podReady } from "@hooklet/core/base";
import { allContainers, hasEnded, initContainers, isSidecar, mainContainers, type Pod } from "@hooklet/manifest";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";

export interface PodSummary {
  /** Containers that are ready, sidecars too. */
  readonly ready: number;
  /** Containers that should be, sidecars too. */
  readonly total: number;
  /** The STATUS column. */
  readonly status: string;
  readonly restarts: number;
  /** When a container last ended before a restart, milliseconds since the epoch. */
  readonly lastRestart?: number;
}

/** READY, STATUS and RESTARTS of a pod. */
export function summarize(pod: Pod): PodSummary {
  const status = pod.status ?? {};
  const init = initialize(pod);
  const base = gated(pod) ?? (status.reason || status.phase || "Pending");
  const total = mainContainers(pod).length + initContainers(pod).filter(isSidecar).length;
  const initialized =
    status.conditions?.some(({ type, status: is }) => type === "Initialized" && is === "True") ?? false;
  const main =
    init.status === undefined || initialized
      ? runMain(pod, init.status ?? base, init.sidecars)
      : { ready: 0, status: init.status, counted: init.counted };
  return {
    ready: init.ready + main.ready,
    total,
    status: terminating(pod) ?? main.status,
    ...restarts(main.counted),
  };
}

function gated(pod: Pod): string | undefined {
  const held = pod.status?.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return held ? "SchedulingGated" : undefined;
}

function terminating(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined || pod.metadata.deletionTimestamp === null) return undefined;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  return hasEnded(pod) ? undefined : "Terminating";
}

interface Initialization {
  /** Sidecars that are ready. */
  readonly ready: number;
  /** What initialization waits for or failed with; undefined once it is through. */
  readonly status: string | undefined;
  /** Statuses whose restarts count while it lasts, and after it. */
  readonly counted: readonly ContainerStatus[];
  readonly sidecars: readonly ContainerStatus[];
}

function initialize(pod: Pod): Initialization {
  const sidecarNames = new Set(
    allContainers(pod)
      .filter(isSidecar)
      .map(({ name }) => name),
  );
  const counted: ContainerStatus[] = [];
  const sidecars: ContainerStatus[] = [];
  let ready = 0;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecarNames.has(container.name);
    counted.push(container);
    if (sidecar) sidecars.push(container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready) ready += 1;
      continue;
    }
    let status = `Init:${index}/${initContainers(pod).length}`;
    if (terminated !== undefined) status = `Init:${endedAs(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") status = `Init:${waiting.reason}`;
    return { ready, status, counted, sidecars };
  }
  return { ready, status: undefined, counted, sidecars };
}

function runMain(
  pod: Pod,
  before: string,
  sidecars: readonly ContainerStatus[],
): { readonly ready: number; readonly status: string; readonly counted: readonly ContainerStatus[] } {
  const statuses = pod.status?.containerStatuses ?? [];
  let status = before;
  let ready = 0;
  // The first container decides, as the last one in this loop.
  for (const container of statuses.toReversed()) {
    const { terminated, waiting, running } = container.state ?? {};
    if (waiting?.reason) status = waiting.reason;
    else if (terminated !== undefined) status = endedAs(terminated);
    else if (container.ready && running !== undefined) ready += 1;
  }
  if (status === "Completed" && ready > 0) status = podReady(pod) ? "Running" : "NotReady";
  return { ready, status, counted: [...sidecars, ...statuses] };
}

function endedAs(ended: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>): string {
  if (ended.reason) return ended.reason;
  return ended.signal ? `Signal:${ended.signal}` : `ExitCode:${ended.exitCode}`;
}

function restarts(statuses: readonly ContainerStatus[]): { restarts: number; lastRestart?: number } {
  const ends = statuses.flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? []).map((at) => Date.parse(at));
  const count = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return { restarts: count, ...(ends.length === 0 ? {} : { lastRestart: Math.max(...ends) }) };
}
