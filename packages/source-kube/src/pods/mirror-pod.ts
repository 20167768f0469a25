/** The mirror pod of a static pod in the API, and the next step for the existing one. Pure. */
import type { Pod } from "@hooklet/core";
import { type ApiPod, isBeingDeleted, MIRROR } from "./api-pod.js";

const HASH = "kubernetes.io/config.hash";

/** Pods of files and URLs: only they have a hash of the manifest. */
export function isStatic({ metadata }: Pod): boolean {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  return (source === "file" || source === "http") && metadata.annotations?.[HASH] !== undefined;
}

export function mirrorOf(pod: Pod, node: { readonly name: string; readonly uid: string }): object {
  const { name, namespace, labels, annotations = {} } = pod.metadata;
  const owner = { apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid, controller: true };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [MIRROR]: annotations[HASH] ?? "" },
      ownerReferences: [owner],
    },
    spec: pod.spec,
  };
}

export type MirrorStep = "create" | "replace" | "keep";

/** A mirror of another manifest, or one that is being deleted, is replaced. */
export function mirrorStep(pod: Pod, mirror: ApiPod | undefined): MirrorStep {
  if (mirror === undefined) return "create";
  const same = mirror.metadata.annotations?.[MIRROR] === pod.metadata.annotations?.[HASH];
  return same && !isBeingDeleted(mirror) ? "keep" : "replace";
}
