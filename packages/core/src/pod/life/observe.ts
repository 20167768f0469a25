/** Converts the runtime's status of a container to an observation of the pod's state. */

import { Annotations, type ContainerStatus, isRuntimeError, type Runtime } from "@hooklet/cri-api";
import type { Pod } from "@hooklet/manifest";
import { type Clock, millisecondsOf } from "@hooklet/utils";
import type { Exit, Observation } from "../state.js";
import { terminationMessage } from "./pod-files.js";
import type { PodVolumes } from "./volumes.js";

export interface ObservePorts {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "logFormat">;
  readonly volumes: Pick<PodVolumes, "terminationLog">;
}

export interface ObserveOptions {
  /** The pod's current sandbox; exits in another one are stale. */
  readonly sandboxId?: string;
}

/** Undefined for a container that was made and not started, or of which the runtime knows nothing useful. */
export async function observation(
  ports: ObservePorts,
  pod: Pod,
  status: ContainerStatus,
  options: ObserveOptions = {},
): Promise<Observation | undefined> {
  const { attempt, name } = status.metadata;
  if (status.state === "CONTAINER_RUNNING") {
    const startedAt = millisecondsOf(status.startedAt);
    return { kind: "running", id: status.id, attempt, startedAt, imageRef: status.imageRef };
  }
  if (status.state !== "CONTAINER_EXITED") return undefined;
  const message = await terminationMessage({
    ...(status.annotations[Annotations.terminationMessagePath]
      ? { file: ports.volumes.terminationLog(pod, name, attempt) }
      : {}),
    policy:
      status.annotations[Annotations.terminationMessagePolicy] === "FallbackToLogsOnError"
        ? "FallbackToLogsOnError"
        : "File",
    exitCode: status.exitCode,
    logPath: status.logPath,
    logFormat: ports.runtime.logFormat,
  });
  return { kind: "exited", exit: exitOf(ports, status, message, options) };
}

/** Undefined for a container that is gone. */
export async function statusOf(
  runtime: Pick<Runtime, "containerStatus">,
  id: string,
): Promise<ContainerStatus | undefined> {
  try {
    return await runtime.containerStatus(id);
  } catch (error) {
    if (isRuntimeError(error, "not-found")) return undefined;
    throw error;
  }
}

/** False for a sandbox that died or is gone. */
export async function isSandboxReady(runtime: Pick<Runtime, "sandboxStatus">, id: string): Promise<boolean> {
  try {
    return (await runtime.sandboxStatus(id)).state === "SANDBOX_READY";
  } catch (error) {
    if (isRuntimeError(error, "not-found")) return false;
    throw error;
  }
}

function exitOf(
  ports: Pick<ObservePorts, "clock">,
  status: ContainerStatus,
  words: string,
  options: ObserveOptions,
): Exit {
  const finishedAt = millisecondsOf(status.finishedAt);
  const ago = Math.max(0, ports.clock.now() - finishedAt);
  const stale = options.sandboxId !== undefined && options.sandboxId !== status.sandboxId;
  return {
    id: status.id,
    attempt: status.metadata.attempt,
    exitCode: status.exitCode,
    reason: status.reason || (status.exitCode === 0 ? "Completed" : "Error"),
    message: [status.message, words].filter((text) => text !== "").join(": "),
    startedAt: millisecondsOf(status.startedAt),
    finishedAt,
    seen: ports.clock.monotonic() - ago,
    imageRef: status.imageRef,
    ...(stale ? { stale } : {}),
  };
}
