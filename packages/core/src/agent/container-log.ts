/** Which file is a container's log. */
import path from "node:path";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { NodeAgentError } from "@hooklet/utils";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import type { LogFile } from "../logs/log-lines.js";
import type { PodManager } from "../pod/life/manager.js";
import { lastLogged } from "../pod/reset.js";
import { containerLogPath } from "../pod/spec/container-config.js";
import { podLogDirectory } from "../pod/spec/sandbox-config.js";
import type { ContainerState } from "../pod/state.js";
import type { Runtime } from "../runtime/port.js";
import { findContainer } from "./pod-names.js";

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
