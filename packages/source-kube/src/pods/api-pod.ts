/** A pod of the API as the agent holds it. Pure. */

import type { Json, Pod } from "@hooklet/core";
import { isRecord } from "@hooklet/core/subsystem";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../client/watch-events.js";

/** As the API has it, with all that the watch delivers. */
export type ApiPod = v1.Pod &
  KubeObject & {
    readonly metadata: KubeObject["metadata"] &
      v1.Pod["metadata"] & { readonly name: string; readonly namespace: string; readonly uid: string };
    readonly spec: v1.PodSpec;
  };

/** What an object from a watch lacks to be a pod; undefined: nothing. Faults further below affect the pod itself. */
export function whatIsMissing(given: unknown): string | undefined {
  const { metadata, spec } = (given ?? {}) as { readonly metadata?: Json; readonly spec?: Json };
  const texts: readonly Json[] = isRecord(metadata)
    ? [metadata.name ?? null, metadata.namespace ?? null, metadata.uid ?? null]
    : [];
  const isNamed = texts.length > 0 && texts.every((text) => typeof text === "string" && text !== "");
  const named = `${texts[1]}/${texts[0]}`.slice(0, 320);
  if (!isNamed) return `expected metadata with name, namespace and uid, found ${named}`;
  const containers = isRecord(spec) ? spec.containers : undefined;
  if (Array.isArray(containers) && containers.every((container) => isRecord(container as Json))) return undefined;
  return `${named}: expected spec.containers, a list of containers`;
}

export const MIRROR = "kubernetes.io/config.mirror";
const SOURCE = "kubernetes.io/config.source";
const SEEN = "kubernetes.io/config.seen";

/** Of a static pod of this node. */
export function isMirror({ metadata }: ApiPod): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

export function isTerminal({ status }: Pick<v1.Pod, "status">): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function isBeingDeleted({ metadata }: ApiPod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}

/** Being deleted, and the node has not reported yet that nothing of it is left: after that only finalizers keep it. */
export function awaitsRemoval(pod: ApiPod): boolean {
  return isBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds !== 0;
}

/**
 * What the agent is to run: without status and the API's own book-keeping, with the mark of its source. `seen`: RFC 3339, when
 * the agent first saw it.
 */
export function deliveredPod(pod: ApiPod, seen: string): Pod {
  const {
    managedFields: _,
    resourceVersion: __,
    ...metadata
  } = pod.metadata as ApiPod["metadata"] & {
    readonly managedFields?: unknown;
  };
  const grace = metadata.deletionGracePeriodSeconds;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [SEEN]: seen, [SOURCE]: "api" },
      ...(grace !== undefined && grace !== null && { deletionGracePeriodSeconds: Math.max(1, grace) }),
    },
    spec: pod.spec,
  } as Pod;
}

/** Whether the agent has something new to do: all but the status, and what the API keeps books with. */
export function saysMore(before: ApiPod, after: ApiPod): boolean {
  if (before.metadata.resourceVersion === after.metadata.resourceVersion) return false;
  return JSON.stringify(asked(before)) !== JSON.stringify(asked(after));
}

function asked({ metadata, spec }: ApiPod): unknown {
  const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds, generation } = metadata;
  return [sorted(labels), sorted(annotations), deletionTimestamp, deletionGracePeriodSeconds, generation, spec];
}

function sorted(map: Readonly<Record<string, string>> = {}): unknown {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

// What pods of a cluster may ask for and this node cannot do: it is refused by name, never left out.

/** The message of the event FailedCreatePodSandBox; undefined: supported. Unknown kinds of volumes are reported when they are mounted. */
export function unsupported({ spec }: Pod): string | undefined {
  // The installed Kubernetes types are older than some of these fields.
  const { hostUsers, resourceClaims = [] } = spec as Pod["spec"] & { readonly resourceClaims?: readonly unknown[] };
  if (hostUsers === false) return "can't set `spec.hostUsers: false`, this node does not support user namespaces";
  if (resourceClaims.length > 0)
    return "can't use `spec.resourceClaims`, this node does not support dynamic resource allocation";
  const block = [...(spec.initContainers ?? []), ...spec.containers].find(
    ({ volumeDevices = [] }) => volumeDevices.length > 0,
  );
  if (block !== undefined)
    return `container ${block.name} can't use \`volumeDevices\`, this node does not support block volumes`;
  return undefined;
}
