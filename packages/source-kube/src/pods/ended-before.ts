/** Pods that had ended before this agent came, and of which something is left on the node: their logs can still be read. Pure. */
import { Labels, type NodeView } from "@hooklet/core";
import type { ApiPod } from "./api-pod.js";

/** Uid -> names of containers that have ended; none of a pod in which one runs. */
export type Ended = ReadonlyMap<string, ReadonlySet<string>>;

export function endedContainers({ containers }: Pick<NodeView, "containers">): Ended {
  const ended = new Map<string, Set<string>>();
  const alive = new Set<string>();
  for (const { labels, state, metadata } of containers) {
    const uid = labels[Labels.podUid];
    if (uid === undefined) continue;
    if (state !== "CONTAINER_EXITED") alive.add(uid);
    else ended.set(uid, (ended.get(uid) ?? new Set()).add(metadata.name));
  }
  for (const uid of alive) ended.delete(uid);
  return ended;
}

/** The agent may take it: all its containers have ended, and none of them would be started again. */
export function isWhole({ metadata, spec, status }: ApiPod, ended: Ended): boolean {
  const names = ended.get(metadata.uid);
  if (names === undefined || !spec.containers.every(({ name }) => names.has(name))) return false;
  // A container's own policy or rules may start it again, whatever the pod's policy is.
  if (spec.containers.some(({ restartPolicy }) => restartPolicy !== undefined)) return false;
  if ((spec.initContainers ?? []).some((container) => "restartPolicyRules" in container)) return false;
  return spec.restartPolicy === "Never" || (spec.restartPolicy === "OnFailure" && status?.phase === "Succeeded");
}
