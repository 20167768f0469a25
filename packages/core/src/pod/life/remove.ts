/** Takes away what a pod leaves behind. Dead containers of pods that go on are a plugin's business: container garbage collection. */
import { rm } from "node:fs/promises";
import type { Pod } from "@hooklet/manifest";
import type { PodObjects } from "../../runtime/pod-objects.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { PodLifePorts } from "./ports.js";

export type RemovePorts = Pick<PodLifePorts, "runtime" | "lists" | "volumes" | "podLogsDir" | "images">;

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
