/** Removal of what does not run any more, with what it leaves in the agent's folders. */
import path from "node:path";
import { Annotations, type ContainerStatus, type Runtime, RuntimeError } from "@hooklet/cri-api";
import { disk } from "@hooklet/linux";
import { removeLog } from "@hooklet/logs";
import { statusOf } from "../pod/life/observe.js";

export interface DeadRemoval {
  readonly runtime: Pick<
    Runtime,
    "containerStatus" | "stopContainer" | "removeContainer" | "listContainers" | "stopSandbox" | "removeSandbox"
  >;
  readonly podLogsDir: string;
  readonly rootDir: string;
}

/**
 * With its log and what was rotated away from it, unless that is to be kept, and its termination log. Fine with one that is gone.
 */
export async function removeDeadContainer(parts: DeadRemoval, id: string, keep?: "log"): Promise<void> {
  const { runtime } = parts;
  const status = await statusOf(runtime, id);
  if (status === undefined) return;
  if (status.state === "CONTAINER_RUNNING") throw runs(`container ${id}`, `it is ${status.metadata.name} and runs`);
  // One of unknown state may have a process yet.
  if (status.state === "CONTAINER_UNKNOWN") await runtime.stopContainer(id, 0);
  await runtime.removeContainer(id);
  for (const file of [keep === "log" ? undefined : status.logPath, terminationLog(status)]) {
    if (file !== undefined && isBelow(parts.podLogsDir, file)) await removeLog(file);
    else if (file !== undefined && isBelow(path.join(parts.rootDir, "pods"), file))
      await disk.rm(file, { force: true });
  }
}

/** With the dead containers in it. Fine with one that is gone. */
export async function removeDeadSandbox({ runtime }: DeadRemoval, id: string): Promise<void> {
  const containers = await runtime.listContainers({ sandboxId: id });
  const running = containers.find(({ state }) => state === "CONTAINER_RUNNING");
  if (running !== undefined) throw runs(`sandbox ${id}`, `container ${running.id} runs in it`);
  await runtime.stopSandbox(id);
  await runtime.removeSandbox(id);
}

/** The host's file of the termination message, by the container's own mount. */
function terminationLog({ annotations, mounts }: ContainerStatus): string | undefined {
  const within = annotations[Annotations.terminationMessagePath];
  const mount = mounts.find(({ containerPath }) => containerPath === within);
  // A volume of the pod may be mounted there: its files are the pod's.
  return mount?.hostPath.split(path.sep).includes("volumes") ? undefined : mount?.hostPath;
}

/** Containers of others name files of others. */
function isBelow(folder: string, file: string): boolean {
  return path.isAbsolute(file) && path.normalize(file).startsWith(path.join(folder, path.sep));
}

function runs(what: string, why: string): RuntimeError {
  return new RuntimeError("failed-precondition", `${what} is not dead: ${why}`);
}
