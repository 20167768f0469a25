/**
 * containerd's own event stream, for its versions whose CRI has none. It names ids of its namespace `k8s.io` only, and an
 * end comes a moment before the CRI knows it: so it polls the CRI until it does, then reports the event.
 *
 * The end of a container is its task's delete, with which the CRI answers the exit before it records it. Exit events
 * are not subscribed to: each exec has one too, and many exec probes would flood the stream.
 */

import { Labels, sleep } from "@hooklet/core";
import { CallError } from "../call-error.js";
import { codeOf } from "../errors.js";
import type { Owner } from "../known.js";
import type { Streams } from "../wire.js";
import { lastingStream } from "./lasting-stream.js";
import type { EventListener, EventPorts, EventSource } from "./source.js";

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
