/** The image of a static pod in the API: what it looks like, and what has to become of the one that is there. Pure. */
import type { Pod } from "@hooklet/core";
import { type ApiPod, isBeingDeleted, MIRROR } from "./api-pod.js";

const HASH = "kubernetes.io/config.hash";

/** Pods of files and URLs: nobody else has a hash of its manifest. */
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

/** A mirror of another manifest, or one that somebody deletes, gives way to a new one. */
export function mirrorStep(pod: Pod, mirror: ApiPod | undefined): MirrorStep {
  if (mirror === undefined) return "create";
  const same = mirror.metadata.annotations?.[MIRROR] === pod.metadata.annotations?.[HASH];
  return same && !isBeingDeleted(mirror) ? "keep" : "replace";
}
