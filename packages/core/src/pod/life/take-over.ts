/** Takes over what already runs: brings a pod's state to what the runtime shows, by labels and annotations alone. */

import path from "node:path";
import {
  Annotations,
  byPodUid,
  type ContainerStatus,
  isRuntimeError,
  Labels,
  type PodObjects,
  type Runtime,
  type Container as RuntimeContainer,
  type Sandbox,
  type SharedLists,
} from "@hooklet/cri-api";
import { attemptsByLogs } from "@hooklet/logs";
import { allContainers, ConfigAnnotations, type Container, type Pod, podText } from "@hooklet/manifest";
import { backOffRule, boundedSeconds, type Clock, deepFreeze, millisecondsOf, Semaphore } from "@hooklet/utils";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { HOLDS_ANNOTATION, holdsSpec } from "../holds.js";
import { containerLogPath } from "../spec/container-config.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { ReportPort } from "./ending-steps.js";
import { statusOf } from "./observe.js";
import { BACK_OFF_ANNOTATION } from "./start/plan.js";
import type { PodWorker } from "./worker.js";

/** All that the runtime has of one pod. */
export interface PodRemains {
  readonly uid: string;
  /** Oldest attempt first. */
  readonly sandboxes: readonly Sandbox[];
  /** Oldest attempt first. */
  readonly containers: readonly RuntimeContainer[];
  /** By container: what `askStatuses` brought. */
  readonly statuses: Map<string, ContainerStatus>;
}

/** Concurrent status calls. */
const ASKED_AT_ONCE = 16;

/** Everything with Kubernetes labels, by pod uid. The rest belongs to other programs. */
export async function remains(
  runtime: Pick<Runtime, "listSandboxes" | "listContainers">,
): Promise<ReadonlyMap<string, PodRemains>> {
  const [sandboxes, containers] = await Promise.all([runtime.listSandboxes(), runtime.listContainers()]);
  return new Map([...byPodUid(sandboxes, containers)].map(([uid, pod]) => [uid, inOrder(uid, pod)]));
}

function inOrder(uid: string, { sandboxes, containers }: PodObjects): PodRemains {
  return {
    uid,
    sandboxes: sandboxes.toSorted((a, b) => a.metadata.attempt - b.metadata.attempt),
    containers: containers.toSorted((a, b) => a.metadata.attempt - b.metadata.attempt),
    statuses: new Map(),
  };
}

/**
 * Reads the status of each container and stores it with its pod. Containers that went away since the list was read, and those whose status
 * cannot be read, have none: their pod reads it again when it is taken over.
 */
export async function askStatuses(
  runtime: Pick<Runtime, "containerStatus">,
  pods: Iterable<PodRemains>,
  report: ReportPort["report"],
): Promise<readonly ContainerStatus[]> {
  const slots = new Semaphore(ASKED_AT_ONCE);
  const ask = async (pod: PodRemains, id: string): Promise<readonly ContainerStatus[]> => {
    try {
      const status = deepFreeze(await slots.run(() => runtime.containerStatus(id)));
      pod.statuses.set(id, status);
      return [status];
    } catch (error) {
      if (!isRuntimeError(error, "not-found")) report(`status of container ${id} of pod ${pod.uid}`, error);
      return [];
    }
  };
  const asked = [...pods].flatMap((pod) => pod.containers.map(({ id }) => ask(pod, id)));
  return (await Promise.all(asked)).flat();
}

/** When the agent, in an earlier life, took the pod: milliseconds since the epoch. */
export function firstSeen(pod: PodRemains): number | undefined {
  const oldest = pod.sandboxes[0];
  if (oldest === undefined) return undefined;
  const seen = Date.parse(oldest.annotations[ConfigAnnotations.seen] ?? "");
  return Number.isNaN(seen) ? millisecondsOf(oldest.createdAt) : seen;
}

interface TakeOverPorts extends ReportPort {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly lists: Pick<SharedLists, "of">;
  readonly podLogsDir: string;
}

/** A pod that cannot be taken over now is tried again by its worker; the other pods do not wait for it. */
export async function takeOver(worker: PodWorker, pod: PodRemains, ports: TakeOverPorts): Promise<void> {
  let tries = 0;
  const take = async (): Promise<readonly ContainerStatus[]> =>
    feed(worker, tries++ === 0 ? pod : inOrder(pod.uid, await ports.lists.of(pod.uid)), ports);
  await worker.takeOver(take).catch((error: unknown) => ports.report(`taking over pod ${podText(worker.pod)}`, error));
}

/**
 * Feeds what the runtime has into a fresh worker; leftovers that never started are removed. A status read at the
 * start still holds as long as the list, which all pods share, reports the same for its container.
 */
async function feed(worker: PodWorker, pod: PodRemains, ports: TakeOverPorts): Promise<readonly ContainerStatus[]> {
  const newest = pod.sandboxes.at(-1);
  if (newest !== undefined) {
    const { id } = newest;
    const { attempt } = newest.metadata;
    if (newest.state === "SANDBOX_READY") {
      const { ips } = await ports.runtime.sandboxStatus(id);
      worker.dispatch({
        type: "sandboxReady",
        id,
        attempt,
        ips,
        at: millisecondsOf(newest.createdAt),
        takenOver: true,
      });
    } else worker.dispatch({ type: "sandboxDead", id, attempt });
  }
  const listed = pod.statuses.size === 0 ? [] : (await ports.lists.of(pod.uid)).containers;
  const states = new Map(listed.map(({ id, state }) => [id, state]));
  const statuses: ContainerStatus[] = [];
  for (const container of pod.containers) {
    if (container.state === "CONTAINER_CREATED") {
      await ports.runtime.removeContainer(container.id);
      continue;
    }
    const known = pod.statuses.get(container.id);
    const holds = known !== undefined && known.state === states.get(container.id);
    const status = holds ? known : await statusOf(ports.runtime, container.id);
    // Garbage collection was sooner.
    if (status === undefined) continue;
    statuses.push(status);
    restoreBackOff(worker, status, ports);
    await worker.take(status);
  }
  await countByLogs(worker, statuses, ports);
  return statuses;
}

/** Removed containers continue with the next attempt: with the first one they would write into its log again. */
async function countByLogs(
  worker: PodWorker,
  statuses: readonly ContainerStatus[],
  { podLogsDir, report }: TakeOverPorts,
): Promise<void> {
  const { pod } = worker;
  const there = new Set(statuses.map(({ metadata }) => metadata.name));
  for (const { name } of allContainers(pod).filter((container) => !there.has(container.name))) {
    const file = path.join(podLogDirectory(podLogsDir, pod), containerLogPath(name, 0));
    const attempts = await attemptsByLogs(file).catch((error: unknown) => {
      report(`attempts of container ${name} of pod ${podText(pod)} by its logs`, error);
      return 0;
    });
    if (attempts > 0) worker.dispatch({ type: "attemptsKnown", container: name, attempts });
  }
}

function restoreBackOff(worker: PodWorker, status: ContainerStatus, { clock }: { readonly clock: Clock }): void {
  const noted = Number(status.annotations[BACK_OFF_ANNOTATION]) * 1000;
  if (!(noted > 0)) return;
  const window = Math.min(noted, backOffRule.max);
  const ago = Math.max(0, clock.now() - millisecondsOf(status.startedAt > 0n ? status.startedAt : status.createdAt));
  const backOff = { window, startedAt: clock.monotonic() - ago };
  worker.dispatch({ type: "backOffKnown", container: status.metadata.name, backOff });
}

/**
 * A pod of which no source has spoken, as far as its labels and annotations tell: enough to count what it holds of the node,
 * and to stop it properly. Frozen, as every pod.
 */
export function orphan(remains: PodRemains): Pod {
  const labels = remains.sandboxes.at(-1)?.labels ?? remains.containers.at(-1)?.labels ?? {};
  const annotations = remains.sandboxes.at(-1)?.annotations ?? {};
  const byName = new Map(remains.containers.map((container) => [container.metadata.name, container]));
  const noted = holdsSpec(annotations[HOLDS_ANNOTATION]);
  const grace = remains.containers
    .map((container) => Number(container.annotations[Annotations.podTerminationGracePeriod]))
    .find((seconds) => seconds >= 0);
  return deepFreeze({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: labels[Labels.podName] ?? remains.uid,
      namespace: labels[Labels.podNamespace] ?? "default",
      uid: remains.uid,
      annotations: { ...annotations },
    },
    spec: {
      ...noted,
      ...containersOf(byName, noted),
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: boundedSeconds(grace) }),
    },
  });
}

/** Those that were noted, and those that the runtime has: each with what is known of it. */
function containersOf(
  existing: ReadonlyMap<string, RuntimeContainer>,
  noted: PodSpec | undefined,
): Pick<PodSpec, "containers" | "initContainers"> {
  const known = (container: Container): Container => {
    const found = existing.get(container.name);
    return found === undefined ? container : { ...container, image: found.image, ...preStop(found) };
  };
  const names = new Set([...(noted?.initContainers ?? []), ...(noted?.containers ?? [])].map(({ name }) => name));
  const others = [...existing.keys()].filter((name) => !names.has(name)).map((name) => known({ name }));
  return {
    ...(noted?.initContainers === undefined ? {} : { initContainers: noted.initContainers.map(known) }),
    containers: [...(noted?.containers ?? []).map(known), ...others],
  };
}

function preStop(container: RuntimeContainer): { lifecycle?: { preStop: object } } {
  const text = container.annotations[Annotations.preStopHandler];
  if (text === undefined) return {};
  try {
    const handler: unknown = JSON.parse(text);
    return typeof handler === "object" && handler !== null ? { lifecycle: { preStop: handler } } : {};
  } catch {
    // Not written by a kubelet or by us: the container is stopped without it.
    return {};
  }
}
