/** Deletes a pod on request of the control socket. */
import { ConfigAnnotations, namespacedName, type Pod } from "@hooklet/manifest";
import { deletionRefused, invalid } from "@hooklet/utils";
import type { PodManager } from "../pod/life/manager.js";
import type { ControlSource } from "../sources/control.js";

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
