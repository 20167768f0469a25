/** Removes all init and main containers of a pod, so that they start again in its sandbox (the kubelet's ContainersToReset). */
import path from "node:path";
import type { Container as RuntimeContainer, SharedLists } from "@hooklet/cri-api";
import { removeLogsBefore } from "@hooklet/logs";
import { type Container, initContainers, mainContainers, type Pod, podText } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import { callsForAll } from "../restart.js";
import { containerLogPath } from "../spec/container-config.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { PodEvent, PodState } from "../state.js";
import { type KillPorts, killContainer } from "./kill.js";
import type { PodNode } from "./pod-node.js";

/** Milliseconds before a failed removal is tried again: the rest of the pod is down meanwhile. */
const RETRY = 1_000;

export interface ResetPorts extends KillPorts {
  readonly lists: Pick<SharedLists, "of">;
  readonly node: Pick<PodNode, "ip">;
  readonly podLogsDir: string;
  /** Removes a container that does not run with what it leaves behind, but for its log. Fine with one that is gone. */
  removeKeepingLog(containerId: string): Promise<void>;
}

export interface ResetContext {
  readonly ports: ResetPorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly refresh: (containerId: string) => Promise<void>;
  readonly signal: () => AbortSignal;
}

/**
 * The containers that triggered the reset are removed last, once all others are gone: while one of them exists the reset is not
 * done, and an agent that restarts in the middle begins it again. Returns milliseconds to wait before the next try, or nothing.
 */
export async function resetContainers(context: ResetContext): Promise<number | undefined> {
  const { ports, state, dispatch, signal } = context;
  const { pod } = state();
  const { containers } = await ports.lists.of(pod.metadata.uid);
  const { others, callers } = inOrder(state());
  const failed: string[] = [];
  for (const group of [others, callers]) {
    for (const container of group) {
      if (signal().aborted) return undefined;
      const own = containers.filter(({ metadata }) => metadata.name === container.name);
      try {
        await takeAway(context, container, own);
      } catch (error) {
        failed.push(`${container.name}: ${errorText(error)}`);
      }
    }
    if (failed.length > 0) return tellFailed(ports, pod, failed);
  }
  dispatch({ type: "containersReset", now: ports.clock.monotonic() });
  return undefined;
}

/** The log of the last attempt stays, for `logs --previous` and to count the attempts after a restart of the agent. */
async function takeAway(
  { ports, state, refresh }: ResetContext,
  container: Container,
  own: readonly RuntimeContainer[],
): Promise<void> {
  const { pod, sandbox, restartRequested: isAsked = false } = state();
  const podIp = (sandbox.kind === "ready" ? sandbox.ips[0] : undefined) ?? ports.node.ip;
  for (const { id: containerId, state: was } of own) {
    if (was === "CONTAINER_RUNNING" || was === "CONTAINER_UNKNOWN") {
      // By a restart rule the containers are killed at once, as in the kubelet; a requested restart ends them in order.
      const ending = isAsked ? { message: "Restarting" } : { message: "killing", gracePeriodSeconds: 0 };
      await killContainer(ports, { pod, container, containerId, podIp, ...ending });
    }
    // Its end must be known, and counted, before its container is gone.
    const known = state().containers[container.name];
    if (known?.kind === "running" && known.id === containerId) await refresh(containerId);
    await ports.removeKeepingLog(containerId);
  }
  const last = Math.max(...own.map(({ metadata }) => metadata.attempt));
  if (own.length > 0) await removeLogsBefore(logOf(ports.podLogsDir, pod, container.name, last), last);
}

function logOf(podLogsDir: string, pod: Pod, name: string, attempt: number): string {
  return path.join(podLogDirectory(podLogsDir, pod), containerLogPath(name, attempt));
}

function tellFailed({ events, log }: ResetPorts, pod: Pod, failed: readonly string[]): number {
  const text = `error removing containers to restart all of them: ${failed.join("; ")}`;
  log.error({ pod: podText(pod) }, text);
  events.pod(pod, "Warning", "FailedSync", text);
  return RETRY;
}

function inOrder(state: PodState): { readonly others: readonly Container[]; readonly callers: readonly Container[] } {
  const all = [...mainContainers(state.pod), ...initContainers(state.pod)];
  return {
    others: all.filter((one) => !callsForAll(state, one)),
    callers: all.filter((one) => callsForAll(state, one)),
  };
}
