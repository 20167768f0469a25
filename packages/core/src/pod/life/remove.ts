/** Removes what a pod leaves behind. Dead containers of running pods are left to container garbage collection, a plugin. */

import { removeTree } from "@hooklet/linux";
import type { Pod } from "@hooklet/manifest";
import type { ImageManager } from "../../images/ensure-image.js";
import type { PodObjects } from "../../runtime/pod-objects.js";
import type { Runtime } from "../../runtime/port.js";
import type { SharedLists } from "../../runtime/shared-lists.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { PodVolumes } from "./volumes.js";

export interface RemovePorts {
  readonly runtime: Runtime;
  readonly lists: Pick<SharedLists, "of">;
  readonly volumes: Pick<PodVolumes, "remove" | "clear">;
  readonly images: Pick<ImageManager, "forget">;
  readonly podLogsDir: string;
}

/** All of a pod that is stopped: containers, sandboxes, volumes, logs. `known`: what it has, default: ask. May be repeated. */
export async function removePod(ports: RemovePorts, pod: Pod, known?: PodObjects): Promise<void> {
  const { runtime } = ports;
  const { uid } = pod.metadata;
  const { containers, sandboxes } = known ?? (await ports.lists.of(uid));
  const inside = new Set(sandboxes.map(({ id }) => id));
  for (const { id, sandboxId } of containers) if (!inside.has(sandboxId)) await runtime.removeContainer(id);
  for (const { id } of sandboxes) await runtime.removeSandbox(id);
  await ports.volumes.remove(pod);
  await removeTree(podLogDirectory(ports.podLogsDir, pod));
  ports.images.forget(uid);
}
