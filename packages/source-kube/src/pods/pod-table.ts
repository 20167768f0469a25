/** The pods of this node in the API, and the versions delivered to the agent. */

import { isDeepStrictEqual } from "node:util";
import { Labels, type NodeView, namespacedName, type Pod } from "@hooklet/core";
import { type ApiPod, awaitsRemoval, isMirror, isTerminal, saysMore } from "./api-pod.js";
import type { Status } from "./status-patch.js";

export interface Changes {
  /** To be delivered to the agent. */
  readonly set: readonly ApiPod[];
  /** Uids. */
  readonly removed: readonly string[];
  /** Their status alone is another one. */
  readonly statuses: readonly ApiPod[];
  /** Ended before this agent knew them, and being deleted: no containers are here. */
  readonly leftovers: readonly ApiPod[];
}

interface Row {
  pod: ApiPod;
  /** The agent has it; what had ended before it came is not given to it. */
  readonly isDelivered: boolean;
}

export class PodTable {
  readonly #rows = new Map<string, Row>();
  /** Namespace/name -> mirror pod. */
  readonly #mirrors = new Map<string, ApiPod>();
  #ended: Ended = new Map();

  /** What was left on the node when the agent came. */
  found(ended: Ended): void {
    this.#ended = ended;
  }

  /** Nothing is left on the node: what has ended in the API meanwhile is not to be run again. */
  emptied(): void {
    this.#ended = new Map();
    for (const [uid, { pod }] of this.#rows) this.#rows.set(uid, { pod, isDelivered: !isTerminal(pod) });
  }

  /** The whole collection. */
  replace(pods: readonly ApiPod[]): Changes {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const gone = [...this.#rows].filter(([uid]) => !uids.has(uid)).map(([, { pod }]) => pod);
    const mirrors = [...this.#mirrors.values()].filter(({ metadata }) => !uids.has(metadata.uid));
    return joined([...[...gone, ...mirrors].map((pod) => this.remove(pod)), ...pods.map((pod) => this.set(pod))]);
  }

  set(pod: ApiPod): Changes {
    if (isMirror(pod)) {
      this.#mirrors.set(nameOf(pod), pod);
      return nothing;
    }
    const { uid } = pod.metadata;
    const row = this.#rows.get(uid);
    if (row === undefined) {
      const isDelivered = !isTerminal(pod) || isWhole(pod, this.#ended);
      this.#rows.set(uid, { pod, isDelivered });
      if (isDelivered) return { ...nothing, set: [pod] };
      return awaitsRemoval(pod) ? { ...nothing, leftovers: [pod] } : nothing;
    }
    const before = row.pod;
    row.pod = pod;
    if (!row.isDelivered) return awaitsRemoval(pod) ? { ...nothing, leftovers: [pod] } : nothing;
    if (saysMore(before, pod)) return { ...nothing, set: [pod], statuses: [pod] };
    return before.metadata.resourceVersion === pod.metadata.resourceVersion ? nothing : { ...nothing, statuses: [pod] };
  }

  remove(pod: ApiPod): Changes {
    if (isMirror(pod)) {
      const key = nameOf(pod);
      if (this.#mirrors.get(key)?.metadata.uid === pod.metadata.uid) this.#mirrors.delete(key);
      return nothing;
    }
    const { uid } = pod.metadata;
    const row = this.#rows.get(uid);
    this.#rows.delete(uid);
    return row?.isDelivered === true ? { ...nothing, removed: [uid] } : nothing;
  }

  /** Our own write upon `before` was taken: the watch brings it later. What it has brought meanwhile is newer. */
  wrote(before: ApiPod, status: Status): void {
    const row = this.#rows.get(before.metadata.uid);
    if (row?.pod === before) row.pod = { ...before, status: status as NonNullable<ApiPod["status"]> };
  }

  get(uid: string): ApiPod | undefined {
    return this.#rows.get(uid)?.pod;
  }

  has(uid: string): boolean {
    return this.#rows.has(uid);
  }

  /** The newest metadata.generation whose spec is that of the agent's pod: a newer spec that it does not run yet is not observed. */
  observed({ metadata, spec }: Pod): number | undefined {
    const latest = this.get(metadata.uid);
    if (latest === undefined || latest.metadata.generation === metadata.generation) return metadata.generation;
    return isDeepStrictEqual(spec, latest.spec) ? latest.metadata.generation : metadata.generation;
  }

  /** Types of conditions that the pod is gated by and others set. */
  gates(uid: string): ReadonlySet<string> {
    return new Set((this.get(uid)?.spec.readinessGates ?? []).map(({ conditionType }) => conditionType));
  }

  /** The pods that the agent has to have. */
  wanted(): readonly ApiPod[] {
    return [...this.#rows.values()].filter(({ isDelivered }) => isDelivered).map(({ pod }) => pod);
  }

  /** Those that had ended before the agent came. */
  ended(): readonly ApiPod[] {
    return [...this.#rows.values()].filter(({ isDelivered }) => !isDelivered).map(({ pod }) => pod);
  }

  mirror(name: string): ApiPod | undefined {
    return this.#mirrors.get(name);
  }

  mirrors(): readonly ApiPod[] {
    return [...this.#mirrors.values()];
  }
}

const nothing: Changes = { set: [], removed: [], statuses: [], leftovers: [] };

function joined(all: readonly Changes[]): Changes {
  return {
    set: all.flatMap(({ set }) => set),
    removed: all.flatMap(({ removed }) => removed),
    statuses: all.flatMap(({ statuses }) => statuses),
    leftovers: all.flatMap(({ leftovers }) => leftovers),
  };
}

function nameOf({ metadata }: ApiPod): string {
  return namespacedName(metadata);
}

// Pods that had ended before this agent came, and of which something is left on the node: their logs can still be read.

/** Uid -> names of containers that have ended; none of a pod in which one runs. */
type Ended = ReadonlyMap<string, ReadonlySet<string>>;

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
