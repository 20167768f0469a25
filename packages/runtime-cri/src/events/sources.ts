/** The events of a runtime: the CRI's or containerd's own stream, opened again when it ends. */

import { Labels, sleep, type Timer } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import { CallError, Code, codeOf } from "../call-errors.js";
import type { Owner } from "../known.js";
import type { Streams } from "../wire.js";
import type { EventListener, EventPorts, EventSource } from "./hub.js";

// Selects the events of a runtime: the CRI's, else containerd's own, else none. The only place that depends on a runtime's name.

/** A runtime without a call refuses it at once; one that has it is silent until something happens. Milliseconds. */
const REFUSES_WITHIN = 300;
/** containerd that has the call finds fault with this filter instead, at once. */
const NO_FILTER = "==";

export async function chooseEvents(ports: EventPorts, runtimeName: string): Promise<EventSource | undefined> {
  if ((await firstWord(ports, "GetContainerEvents", {})) === "silent") return criEvents;
  if (runtimeName !== "containerd") return undefined;
  const end = await firstWord(ports, "Subscribe", { filters: [NO_FILTER] });
  return end === Code.UNIMPLEMENTED ? undefined : containerdEvents;
}

/** The code that ends the stream soon, if anything does. */
function firstWord({ client, clock }: EventPorts, rpc: keyof Streams, request: object): Promise<number | "silent"> {
  return new Promise((resolve) => {
    const settle = (answer: number | "silent"): void => {
      timer.cancel();
      cancel();
      resolve(answer);
    };
    const timer = clock.schedule(REFUSES_WITHIN, () => settle("silent"));
    const ended = (error: CallError | undefined): void => settle(error?.code ?? Code.OK);
    const cancel = client.stream(rpc, request, { data: () => settle("silent"), ended });
  });
}

// The CRI's own event stream: containerd 1.7+, CRI-O.

const TYPES: Readonly<Record<string, RuntimeEvent["type"]>> = {
  CONTAINER_CREATED_EVENT: "CONTAINER_CREATED",
  CONTAINER_STARTED_EVENT: "CONTAINER_STARTED",
  CONTAINER_STOPPED_EVENT: "CONTAINER_STOPPED",
  CONTAINER_DELETED_EVENT: "CONTAINER_DELETED",
};

const criEvents: EventSource = (ports, listener) =>
  lastingStream(ports, "GetContainerEvents", {}, listener, ({ containerId, containerEventType, podSandboxStatus }) => {
    const type = TYPES[containerEventType];
    const podUid = podSandboxStatus?.labels[Labels.podUid] ?? ports.known.get(containerId)?.podUid;
    if (type === undefined || podUid === undefined) return;
    listener.event({ podUid, containerId: containerId === podSandboxStatus?.id ? "" : containerId, type });
  });

// containerd's own event stream, for its versions whose CRI has none. It names ids of its namespace `k8s.io` only, and an end comes a moment before the
// CRI knows it: so it polls the CRI until it does, then reports the event. The end of a container is its task's delete, with which the CRI answers the
// exit before it records it. Exit events are not subscribed to: each exec has one too, and many exec probes would flood the stream.

const FILTER = 'namespace==k8s.io,topic~="^/tasks/(start|delete)$"';
/** Milliseconds between two status calls for a container that should have ended. */
const LOOKS = [0, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export const containerdEvents: EventSource = (ports, listener) =>
  lastingStream(ports, "Subscribe", { filters: [FILTER] }, listener, (message) => {
    tell(ports, listener, message).catch((error: unknown) => {
      listener.problem(error);
      listener.gap();
    });
  });

async function tell(ports: EventPorts, listener: EventListener, { topic, event }: Streams["Subscribe"]): Promise<void> {
  if (event === null) return;
  const { containerId: id } = ports.client.taskEvent(event.value);
  const end = topic === "/tasks/delete";
  // What starts and is not known yet is a sandbox whose making has not been answered, which is no news.
  const owner = ports.known.get(id) ?? (end ? await lookUp(ports, id) : undefined);
  if (owner === undefined) return;
  if (end) {
    // With the answer to the agent's own stop the CRI knows the end; earlier calls would be in vain.
    if (!(await ports.known.stopped(id))) await ended(ports, id, owner);
    // The agent's own stop reads the end: with that answer no other call is needed.
    else await sleep(ports.clock, 0);
  }
  const type = end ? "CONTAINER_STOPPED" : "CONTAINER_STARTED";
  listener.event({ podUid: owner.podUid, containerId: owner.sandboxId === undefined ? "" : id, type });
}

/** Undefined: not a container of Kubernetes, or gone already. */
async function lookUp({ calls, known }: EventPorts, id: string): Promise<Owner | undefined> {
  const { containers } = await calls.call("ListContainers", { filter: { id } });
  const container = containers[0];
  const { items } = container === undefined ? await calls.call("ListPodSandbox", { filter: { id } }) : { items: [] };
  const podUid = (container ?? items[0])?.labels[Labels.podUid];
  if (podUid === undefined) return undefined;
  const owner = { podUid, ...(container === undefined ? {} : { sandboxId: container.podSandboxId }) };
  known.set(id, owner);
  return owner;
}

/** Resolves when the CRI knows the end as well, or after about a second. */
async function ended(ports: EventPorts, id: string, owner: Owner): Promise<void> {
  for (const pause of LOOKS) {
    if (pause > 0) await sleep(ports.clock, pause);
    if (await isOver(ports, id, owner)) return;
  }
}

async function isOver({ calls }: EventPorts, id: string, { sandboxId }: Owner): Promise<boolean> {
  try {
    if (sandboxId === undefined) {
      const { status } = await calls.call("PodSandboxStatus", { podSandboxId: id });
      return status?.state !== "SANDBOX_READY";
    }
    const { status } = await calls.call("ContainerStatus", { containerId: id });
    return status?.state !== "CONTAINER_RUNNING" && status?.state !== "CONTAINER_CREATED";
  } catch (error) {
    if (error instanceof CallError && codeOf(error) === "not-found") return true;
    throw error;
  }
}

// A stream that is opened again whenever it ends; after each time something may have been missed.

const REOPEN = 200;
const REOPEN_MAX = 2_000;

export function lastingStream<S extends keyof Streams>(
  { client, calls, clock }: EventPorts,
  rpc: S,
  request: object,
  listener: Pick<EventListener, "gap" | "away" | "back">,
  take: (message: Streams[S]) => void,
): () => void {
  let closed = false;
  let timer: Timer | undefined;
  let pause = REOPEN;
  let isAway = false;
  const open = (): (() => void) => client.stream(rpc, request, { data: take, ended: again });
  const again = (): void => {
    if (closed) return;
    timer = clock.schedule(pause, () => {
      pause = Math.min(pause * 2, REOPEN_MAX);
      reopen().catch((error: unknown) => {
        if (!closed && !isAway) listener.away(error);
        isAway = true;
        again();
      });
    });
  };
  /** The CRI answers once the runtime knows its containers again. */
  const reopen = async (): Promise<void> => {
    await calls.call("Status", {});
    if (closed) return;
    cancel = open();
    pause = REOPEN;
    if (isAway) listener.back();
    isAway = false;
    listener.gap();
  };
  let cancel = open();
  return () => {
    closed = true;
    timer?.cancel();
    cancel();
  };
}
