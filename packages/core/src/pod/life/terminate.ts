/** Stops a pod: podTerminate taps, all containers (sidecars after the main ones, in reverse), afterStop, sandbox. */

import type { PodObjects, Runtime, Container as RuntimeContainer, SharedLists } from "@hooklet/cri-api";
import { allContainers, type Container, initContainers, isSidecar } from "@hooklet/manifest";
import { type Clock, deepFreeze, pause, type RankedSlots } from "@hooklet/utils";
import type { NodeHooks, PodTerminateEvent } from "../../hooks/hooks.js";
import type { TerminationCause } from "../../hooks/termination.js";
import { grace } from "../grace.js";
import type { PodState } from "../state.js";
import { type KillPorts, killContainer } from "./kill.js";
import type { PodNode } from "./pod-node.js";

export interface Termination {
  readonly state: PodState;
  readonly cause: TerminationCause;
  /** Called for every container once it is gone. */
  readonly gone: (containerId: string) => Promise<void>;
}

export interface StopPorts extends KillPorts {
  readonly runtime: Runtime;
  readonly lists: Pick<SharedLists, "of">;
  readonly node: Pick<PodNode, "ip">;
  /** Resolves once no pod's status is on its way to those that want it; undefined: none is. */
  statusesSettled(): Promise<void> | undefined;
  /** Acquired before a sandbox is stopped: stopping many at once would starve the reports of their end. */
  readonly stopSlots: RankedSlots;
  /** Asked for by those that waited too long for one of `stopSlots`: they begin a little apart. */
  readonly lateStopSlots: RankedSlots;
}

/** Milliseconds after which a sandbox that takes longer to stop leaves its turn to another one. */
const STOPPED_WITHIN = 1_000;
/**
 * Milliseconds that a sandbox waits for statuses under way: the end of a sandbox is not urgent, and stopping it competes with
 * statuses for the processor. Under constant load each sandbox waits that long.
 */
const TOLD_WITHIN = 1_000;
/** Milliseconds that a sandbox waits for statuses and its turn: callers that wait for the end of the pod have their own limit. */
const TURN_WITHIN = 2_000;
/** Milliseconds for which one that waited too long keeps the next such one back. */
const LATE_APART = 50;

export type AfterStop = () => void | Promise<void>;

/** Runs the podTerminate taps; returns what they want to be called after the stop. */
export async function announce(
  ports: { readonly hooks: Pick<NodeHooks, "podTerminate"> },
  termination: Termination,
): Promise<readonly AfterStop[]> {
  const afterStop: AfterStop[] = [];
  const event: PodTerminateEvent = {
    pod: termination.state.pod,
    cause: deepFreeze(termination.cause),
    gracePeriodSeconds: grace(termination.state),
    afterStop: (run) => void afterStop.push(run),
  };
  await ports.hooks.podTerminate.promise(event);
  return afterStop;
}

/**
 * Returns what the pod had in the runtime. Rejects with an AggregateError when a container or the sandbox could not be
 * stopped: to be called again.
 */
export async function stopAll(ports: StopPorts, termination: Termination): Promise<PodObjects> {
  const found = await ports.lists.of(termination.state.pod.metadata.uid);
  const running = found.containers.filter(
    (container) => container.state === "CONTAINER_RUNNING" || container.state === "CONTAINER_UNKNOWN",
  );
  await settled("containers", stopInOrder(ports, termination, running));
  await settled(
    "sandboxes",
    found.sandboxes.map((sandbox) => inTurn(ports, () => ports.runtime.stopSandbox(sandbox.id))),
  );
  return found;
}

type Turns = Pick<StopPorts, "clock" | "statusesSettled" | "stopSlots" | "lateStopSlots">;

/** Without a turn in time the work starts anyway, staggered from others that waited too long. */
async function inTurn(ports: Turns, work: () => Promise<void>): Promise<void> {
  const { clock, stopSlots, lateStopSlots } = ports;
  const late = new AbortController();
  const patience = clock.schedule(TURN_WITHIN, () => late.abort());
  const inSlot = (leave: () => void): Promise<void> => {
    patience.cancel();
    return leavingAfter(clock, STOPPED_WITHIN, leave, work);
  };
  const settled = ports.statusesSettled();
  if (settled !== undefined) await soon(clock, settled);
  try {
    await stopSlots.run([], inSlot, late.signal);
  } catch (error) {
    if (error !== late.signal.reason) throw error;
    await lateStopSlots.run([], (leave) => leavingAfter(clock, LATE_APART, leave, work));
  }
}

async function soon(clock: Clock, settled: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([settled, pause(clock, TOLD_WITHIN, done.signal)]);
  done.abort();
}

/** Releases its slot after this many milliseconds, whether the work has ended or not. */
async function leavingAfter(
  clock: Clock,
  milliseconds: number,
  leave: () => void,
  work: () => Promise<void>,
): Promise<void> {
  const slow = clock.schedule(milliseconds, leave);
  try {
    await work();
  } finally {
    slow.cancel();
  }
}

/** Main containers stop at once, sidecars when all main ones and the later sidecars are gone. */
function stopInOrder(
  ports: StopPorts,
  { state, gone }: Termination,
  running: readonly RuntimeContainer[],
): readonly Promise<void>[] {
  const { pod } = state;
  const byName = new Map(allContainers(pod).map((container) => [container.name, container]));
  const ips = state.sandbox.kind === "ready" ? state.sandbox.ips : [];
  const gracePeriodSeconds = grace(state);
  const kill = async (found: RuntimeContainer, turn: Promise<void> | undefined): Promise<void> => {
    const container: Container = byName.get(found.metadata.name) ?? { name: found.metadata.name };
    await killContainer(ports, {
      pod,
      container,
      containerId: found.id,
      podIp: ips[0] ?? ports.node.ip,
      message: "",
      gracePeriodSeconds,
      turn,
    });
    await gone(found.id);
  };
  const sidecars = initContainers(pod)
    .filter(isSidecar)
    .map(({ name }) => name);
  const isLate = (found: RuntimeContainer): boolean => sidecars.includes(found.metadata.name);
  const stops = running.filter((found) => !isLate(found)).map((found) => kill(found, undefined));
  for (const name of sidecars.toReversed()) {
    const turn = Promise.allSettled([...stops]).then(() => undefined);
    for (const found of running.filter((container) => container.metadata.name === name)) stops.push(kill(found, turn));
  }
  return stops;
}

async function settled(what: string, work: readonly Promise<void>[]): Promise<void> {
  const failures = (await Promise.allSettled(work)).flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (failures.length === 0) return;
  throw new AggregateError(
    failures,
    `${failures.length} ${what} could not be stopped: ${failures.map(String).join("; ")}`,
  );
}
