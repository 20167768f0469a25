/** Takes away what a pod leaves behind. */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Pod } from "@hooklet/manifest";
import type { ImageManager } from "../../images/ensure-image.js";
import { removeLog } from "../../logs/remove-log.js";
import type { PodObjects } from "../../runtime/pod-objects.js";
import type { Runtime, Container as RuntimeContainer } from "../../runtime/port.js";
import type { SharedLists } from "../../runtime/shared-lists.js";
import { containerLogPath } from "../spec/container-config.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { PodState } from "../state.js";
import type { PodVolumes } from "./volumes.js";

export interface PrunePorts {
  readonly runtime: Runtime;
  readonly volumes: Pick<PodVolumes, "remove" | "removeTerminationLog">;
  readonly podLogsDir: string;
}

export interface RemovePorts extends PrunePorts {
  readonly lists: Pick<SharedLists, "of">;
  readonly images: Pick<ImageManager, "forget">;
}

/** All of a pod that is stopped: containers, sandboxes, volumes, logs. `known`: what it has, default: ask. May be repeated. */
export async function removePod(ports: RemovePorts, pod: Pod, known?: PodObjects): Promise<void> {
  const { runtime } = ports;
  const { uid } = pod.metadata;
  const { containers, sandboxes } = known ?? (await ports.lists.of(uid));
  for (const container of containers) await runtime.removeContainer(container.id);
  for (const sandbox of sandboxes) await runtime.removeSandbox(sandbox.id);
  await ports.volumes.remove(pod);
  await rm(podLogDirectory(ports.podLogsDir, pod), { recursive: true, force: true });
  ports.images.forget(uid);
}

/** Keeps one dead container per name (the kubelet's maxPerPodContainer 1) and drops sandboxes that hold nothing. */
export async function prune(ports: PrunePorts, { pod, sandbox }: PodState): Promise<void> {
  const { runtime } = ports;
  const containers = await runtime.listContainers({ podUid: pod.metadata.uid });
  const dead = containers.filter((container) => container.state === "CONTAINER_EXITED");
  const extra = dead.filter((container) => newer(dead, container) > 0);
  for (const container of extra) {
    await runtime.removeContainer(container.id);
    const { name, attempt } = container.metadata;
    await ports.volumes.removeTerminationLog(pod, name, attempt);
    await removeLog(path.join(podLogDirectory(ports.podLogsDir, pod), containerLogPath(name, attempt)));
  }
  if (sandbox.kind !== "ready" || sandbox.attempt === 0) return;
  const held = new Set(containers.filter((container) => !extra.includes(container)).map(({ sandboxId }) => sandboxId));
  for (const old of await runtime.listSandboxes({ podUid: pod.metadata.uid })) {
    if (old.id !== sandbox.id && !held.has(old.id)) await runtime.removeSandbox(old.id);
  }
}

function newer(dead: readonly RuntimeContainer[], container: RuntimeContainer): number {
  const { name, attempt } = container.metadata;
  return dead.filter((other) => other.metadata.name === name && other.metadata.attempt > attempt).length;
}
