/** Restart of all containers of a pod that was asked for through the control socket. */
import { namespacedName, type Pod } from "@hooklet/manifest";
import { NodeAgentError } from "@hooklet/utils";
import type { PodManager } from "../pod/life/manager.js";

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
