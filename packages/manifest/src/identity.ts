/** Name, uid and marks of a pod by where it comes from (kubelet pkg/kubelet/config/common.go). */
import { createHash } from "node:crypto";
import type * as v1 from "kubernetes-types/core/v1.js";
import { ConfigAnnotations, type Pod, systemPriorityOf } from "./pod.js";

export interface StaticOrigin {
  readonly source: "file" | "http";
  /** Absolute path or URL of the manifest. */
  readonly where: string;
  readonly nodeName: string;
  /** Milliseconds since the epoch at which the manifest was seen. */
  readonly seen: number;
}

/**
 * A pod of a manifest file or URL: named `<name>-<node>`, bound to the node. Its uid is the md5 of node, place and content:
 * the same for the same manifest in the same place on the same node, another for a changed one; a uid in the manifest is kept.
 * Pods of files stay when the node is tainted NoExecute.
 */
export function staticPod(pod: v1.Pod, { source, where, nodeName, seen }: StaticOrigin): Pod {
  const metadata = pod.metadata ?? {};
  const uid = metadata.uid || contentHash(pod, source, where, nodeName);
  const spec = pod.spec ?? { containers: [] };
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: metadata.name ? `${metadata.name}-${nodeName.toLowerCase()}` : "",
      namespace: metadata.namespace || "default",
      uid,
      annotations: marked(metadata.annotations, { hash: uid, seen: timestamp(seen), source }),
    },
    spec: { ...spec, nodeName, ...(source === "file" && { tolerations: tolerant(spec.tolerations) }) },
  };
}

export interface ApiOrigin {
  readonly nodeName: string;
  /** Milliseconds since the epoch at which the manifest was seen. */
  readonly seen: number;
  /** New for each pod. */
  readonly uid: string;
}

/**
 * A pod of the control socket: its own name, the given uid; of the system's two priority classes it gets the number,
 * as from the API server. Other classes are not known here.
 */
export function apiPod(pod: v1.Pod, { nodeName, seen, uid }: ApiOrigin): Pod {
  const metadata = pod.metadata ?? {};
  const spec = pod.spec ?? { containers: [] };
  const priority = spec.priority ?? systemPriorityOf(spec.priorityClassName ?? "");
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: metadata.name ?? "",
      namespace: metadata.namespace || "default",
      uid,
      creationTimestamp: new Date(seen).toISOString().replace(/\.\d+Z$/, "Z"),
      annotations: marked(metadata.annotations, { seen: timestamp(seen), source: "api" }),
    } as Pod["metadata"],
    spec: { ...spec, nodeName, ...(priority !== undefined && { priority }) },
  };
}

/** RFC 3339 with nine digits, as a kubelet writes config.seen. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/Z$/, "000000Z");
}

function contentHash(pod: v1.Pod, source: "file" | "http", where: string, nodeName: string): string {
  const place = source === "file" ? "file" : "url";
  const text = `${JSON.stringify(pod)}host:${nodeName}${place}:${where}`;
  return createHash("md5").update(text).digest("hex");
}

function marked(
  annotations: Readonly<Record<string, string>> | undefined,
  marks: { readonly hash?: string; readonly seen: string; readonly source: string },
): Record<string, string> {
  const { [ConfigAnnotations.hash]: _, ...own } = annotations ?? {};
  return {
    ...own,
    ...(marks.hash !== undefined && { [ConfigAnnotations.hash]: marks.hash }),
    [ConfigAnnotations.seen]: marks.seen,
    [ConfigAnnotations.source]: marks.source,
  };
}

function tolerant(tolerations: readonly v1.Toleration[] = []): v1.Toleration[] {
  const has = tolerations.some(
    ({ key = "", operator, value = "", effect }) =>
      key === "" && operator === "Exists" && value === "" && effect === "NoExecute",
  );
  return has ? [...tolerations] : [...tolerations, { operator: "Exists", effect: "NoExecute" }];
}
