/** What clients of the agent ask to be done with a pod. */

import { ConfigAnnotations, namespacedName, type Pod } from "@hooklet/manifest";
import { deletionRefused, invalid, NodeAgentError } from "@hooklet/utils";
import type { PodManager } from "../pod/life/manager.js";
import type { ControlSource } from "../sources/control.js";

/** Deletes a pod on request of the control socket. */
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

// Restart of all containers of a pod that was asked for through the control socket.

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
