/** What clients of the agent ask to be done with a pod. */

import path from "node:path";
import type { Runtime } from "@hooklet/cri-api";
import type { LogFile } from "@hooklet/logs";
import {
  ConfigAnnotations,
  ephemeralContainers,
  initContainers,
  mainContainers,
  namespacedName,
  type Pod,
} from "@hooklet/manifest";
import { deletionRefused, invalid, NodeAgentError, notFound, notRunning, unsupported } from "@hooklet/utils";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import { lastLogged } from "../pod/reset.js";
import { containerLogPath } from "../pod/spec/container-config.js";
import { podLogDirectory } from "../pod/spec/sandbox-config.js";
import type { ContainerState } from "../pod/state.js";
import type { ControlSource } from "../sources/control.js";
import type { AgentApi, PodName } from "./api.js";
import { podsMeant } from "./pods-meant.js";

// Deletion.

export interface DeletionParts {
  /** Where a pod's manifest is: a file or a URL. */
  readonly placeOf: (uid: string) => string | undefined;
  readonly manager: Pick<PodManager, "sourceOf" | "get">;
  readonly control: Pick<ControlSource, "name" | "delete" | "shorten">;
}

/** Pods of files and URLs are deleted where they are kept; as with a kubelet, deleting them here would not last. @throws NodeAgentError DELETION_REFUSED */
export async function deletePod(
  { manager, control, placeOf }: DeletionParts,
  pod: Pod,
  gracePeriodSeconds: number | undefined,
): Promise<Pod> {
  const { name, namespace, uid, annotations } = pod.metadata;
  const owner = manager.sourceOf(uid);
  const mark = annotations?.[ConfigAnnotations.source];
  const isOwn = owner === undefined ? mark === "api" : owner === control.name;
  if (!isOwn) {
    const source = mark === undefined || mark === "api" ? owner : mark;
    throw deletionRefused(namespacedName(pod.metadata), source, placeOf(uid));
  }
  if (gracePeriodSeconds !== undefined && (!Number.isInteger(gracePeriodSeconds) || gracePeriodSeconds < 0)) {
    throw invalid("gracePeriodSeconds", "whole seconds, 0 or more", gracePeriodSeconds);
  }
  // Deleted once more, with less time perhaps: it has left the source already.
  if (pod.metadata.deletionTimestamp === undefined) await control.delete(namespace, name, gracePeriodSeconds);
  else if (gracePeriodSeconds !== undefined) control.shorten(uid, gracePeriodSeconds);
  return manager.get(uid) ?? pod;
}

// Restart of all containers.

/** @throws NodeAgentError INVALID for a pod that has ended, is being stopped, or is not admitted yet */
export function restartPod(manager: Pick<PodManager, "worker" | "get">, pod: Pod): Pod {
  const { uid } = pod.metadata;
  const worker = manager.worker(uid);
  const life = worker?.state.life.kind ?? "gone";
  if (worker === undefined || life !== "active") throw new NodeAgentError("INVALID", refusal(pod, life));
  worker.dispatch({ type: "restartRequested" });
  return manager.get(uid) ?? pod;
}

function refusal({ metadata }: Pod, life: string): string {
  const name = `pod ${namespacedName(metadata)}`;
  if (life === "pending") return `${name} is not admitted yet: it has no containers to restart.`;
  if (life === "terminating") return `${name} is being stopped and is not started again.`;
  return `${name} has ended or was refused and is not started again: delete it and apply it, or change its manifest file.`;
}

// Names of pods and containers.

/** The pod of that name, or of that name with the node's suffix. @throws NodeAgentError NOT_FOUND with the nearest names */
export function findPod(pods: readonly Pod[], { name, namespace = "default" }: PodName, nodeName: string): Pod {
  const inNamespace = pods.filter((pod) => pod.metadata.namespace === namespace);
  const names = inNamespace.map((pod) => pod.metadata.name);
  const [meant] = podsMeant(names, name, nodeName);
  const found = inNamespace.find((pod) => pod.metadata.name === meant);
  if (found !== undefined) return found;
  throw notFound("pod", name, names, `in namespace "${namespace}"`);
}

/** The container meant: the one named, else the first main one. */
export function findContainer(pod: Pod, name: string | undefined): string {
  const all = [...mainContainers(pod), ...initContainers(pod), ...ephemeralContainers(pod)].map((one) => one.name);
  if (name === undefined) return all[0] as string;
  if (!all.includes(name)) throw notFound("container", name, all, `in pod ${pod.metadata.name}`);
  return name;
}

// Streams: commands, and connections to ports.

export interface StreamsParts {
  readonly manager: Pick<PodManager, "running" | "worker">;
  readonly runtime: Pick<Runtime, "name" | "exec" | "portForward" | "streamUrl">;
  readonly pod: (name: PodName) => Pod;
}

export function podStreams({
  manager,
  runtime,
  pod,
}: StreamsParts): Pick<AgentApi, "exec" | "portForward" | "streamUrl"> {
  const containerOf = (found: Pod, container: string | undefined): string => {
    const inside = findContainer(found, container);
    const running = manager.running({ podUid: found.metadata.uid, container: inside });
    if (running === undefined) throw notRunning(`container ${inside} of pod ${found.metadata.name}`);
    return running.containerId;
  };
  const sandboxOf = ({ metadata }: Pod): string => {
    const sandbox = manager.worker(metadata.uid)?.state.sandbox;
    if (sandbox?.kind !== "ready") throw notRunning(`pod ${metadata.name}`);
    return sandbox.id;
  };
  return {
    exec: async (name, container, options, output) => runtime.exec(containerOf(pod(name), container), options, output),
    portForward: async (name, port) => {
      const found = pod(name);
      if (runtime.portForward === undefined) {
        throw unsupported(
          `runtime ${runtime.name} cannot forward ports into pods`,
          "Connect to the pod's IP from the node.",
        );
      }
      return runtime.portForward(sandboxOf(found), port);
    },
    streamUrl: async (name, request) => {
      if (runtime.streamUrl === undefined) return undefined;
      const found = pod(name);
      if (request.kind === "portForward") return runtime.streamUrl({ ...request, sandboxId: sandboxOf(found) });
      const { container, ...rest } = request;
      return runtime.streamUrl({ ...rest, containerId: containerOf(found, container) });
    },
  };
}

// Logs.

export interface LogParts {
  readonly manager: Pick<PodManager, "worker" | "get">;
  readonly runtime: Pick<Runtime, "logFormat">;
  readonly podLogsDir: string;
}

/**
 * Of the container that runs or ran last; `previous`: of the one before.
 * @throws NodeAgentError NOT_FOUND when there is none yet
 */
export function containerLog(
  { manager, runtime, podLogsDir }: LogParts,
  pod: Pod,
  container: string | undefined,
  previous: boolean,
): LogFile {
  const name = findContainer(pod, container);
  const now = () => manager.worker(pod.metadata.uid)?.state.containers[name];
  const current = now();
  const waits = statusOf(manager.get(pod.metadata.uid), name)?.state?.waiting !== undefined;
  const attempt = previous ? previousAttempt(current, waits) : newestAttempt(current);
  if (attempt === undefined) {
    const owner = `container "${name}" of pod ${namespacedName(pod.metadata)}`;
    const what = previous
      ? `${owner} has not restarted, so there is no previous log. Omit --previous.`
      : pod.status?.phase === "Failed"
        ? `${owner} was never started: the pod failed before (${pod.status.reason ?? "Failed"}). "hooklet explain pod ${pod.metadata.name}" says why.`
        : `${owner} has not started yet, so there is no log. "hooklet explain pod ${pod.metadata.name}" says what it waits for.`;
    throw new NodeAgentError("NOT_FOUND", what);
  }
  return {
    path: path.join(podLogDirectory(podLogsDir, pod), containerLogPath(name, attempt)),
    format: runtime.logFormat,
    ended: () => {
      const state = now();
      return state?.kind !== "running" || state.attempt !== attempt;
    },
  };
}

function newestAttempt(container: ContainerState | undefined): number | undefined {
  if (container?.kind === "running") return container.attempt;
  return container?.kind === "exited" ? container.exit.attempt : container && lastLogged(container);
}

/** During back-off the container that ended last is the previous one, as for kubectl. */
function previousAttempt(container: ContainerState | undefined, waits: boolean): number | undefined {
  return container?.kind === "exited" && waits ? container.exit.attempt : container && lastLogged(container);
}

function statusOf(pod: Pod | undefined, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}
