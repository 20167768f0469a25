/** Mirror pods: each static pod has one in the API, which gets its status. Changes of a mirror change no pod. */

import { namespacedName, type Pod } from "@hooklet/core";
import type { StatusReport } from "@hooklet/core/host";
import { isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { type ApiPod, isBeingDeleted, MIRROR } from "./api-pod.js";
import type { PodTable } from "./pod-table.js";
import { mergedStatus, podStatusPatch, type Status } from "./status-patch.js";
import type { StatusWriter } from "./status-writer.js";

interface MirrorPorts {
  readonly client: Pick<KubeClient, "create" | "patch">;
  readonly table: PodTable;
  readonly writer: Pick<StatusWriter, "remove">;
  readonly hostIP: string;
  /** Undefined as long as the Node is not in the API. */
  readonly node: () => { readonly name: string; readonly uid: string } | undefined;
}

export class Mirrors {
  constructor(private readonly ports: MirrorPorts) {}

  /** Rejects where it has to be tried again. */
  async write({ pod, final }: StatusReport, signal: AbortSignal): Promise<void> {
    const { table, writer } = this.ports;
    const mirror = table.mirror(namespacedName(pod.metadata));
    if (final) {
      if (mirror !== undefined && mirrorStep(pod, mirror) === "keep") await writer.remove(mirror, signal);
      return;
    }
    const step = mirrorStep(pod, mirror);
    // The next reconcile makes it.
    if (step !== "keep" && this.ports.node() === undefined) return;
    if (step === "replace" && mirror !== undefined) {
      await writer.remove(mirror, signal);
      table.remove(mirror);
    }
    const shown = step === "keep" ? mirror : await this.#create(pod, signal);
    if (shown !== undefined) await this.#tell(pod, shown, signal);
  }

  /**
   * Reconciles mirrors with the agent's pods: deleted mirrors are created again, those without a static pod are deleted.
   * `pods`: all pods of the agent.
   */
  async reconcile(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const fixed = pods.filter(isStatic);
    for (const pod of fixed) if (!isEnding(pod)) await this.write({ pod, final: false }, signal);
    const here = new Set(fixed.map(({ metadata }) => namespacedName(metadata)));
    for (const mirror of this.ports.table.mirrors()) {
      if (!here.has(namespacedName(mirror.metadata))) await this.ports.writer.remove(mirror, signal);
    }
  }

  async #create(pod: Pod, signal: AbortSignal): Promise<ApiPod | undefined> {
    const { client, node, table } = this.ports;
    const owner = node();
    if (owner === undefined) return undefined;
    try {
      const made = await client.create<ApiPod>(paths.pods(pod.metadata.namespace), mirrorOf(pod, owner), { signal });
      table.set(made);
      return made;
    } catch (error) {
      // The watch has not delivered it yet.
      if (isApiError(error, 409)) return undefined;
      throw error;
    }
  }

  async #tell(pod: Pod, mirror: ApiPod, signal: AbortSignal): Promise<void> {
    const { client, hostIP, table } = this.ports;
    const before = (mirror.status ?? {}) as Status;
    const generation = mirror.metadata.generation;
    const after = mergedStatus({ pod, inApi: before, generation, hostIP, foreign: new Set() });
    const patch = podStatusPatch(after, before);
    if (patch === undefined) return;
    const body = { metadata: { uid: mirror.metadata.uid }, status: patch };
    try {
      const patched = await client.patch<ApiPod>(`${paths.pod(mirror.metadata)}/status`, body, { signal });
      // Where the watch was faster, what it reports may be newer than this answer: a deletion must not be forgotten.
      if (table.mirror(namespacedName(pod.metadata)) === mirror) table.set(patched);
    } catch (error) {
      if (!isApiError(error, 404, 409)) throw error;
    }
  }
}

function isEnding({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

// The mirror pod of a static pod in the API, and the next step for the existing one.

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

type MirrorStep = "create" | "replace" | "keep";

/** A mirror of another manifest, or one that is being deleted, is replaced. */
export function mirrorStep(pod: Pod, mirror: ApiPod | undefined): MirrorStep {
  if (mirror === undefined) return "create";
  const same = mirror.metadata.annotations?.[MIRROR] === pod.metadata.annotations?.[HASH];
  return same && !isBeingDeleted(mirror) ? "keep" : "replace";
}
