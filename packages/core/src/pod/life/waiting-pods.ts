/** Pods that wait: for their source after a restart, for their turn in admission. */

import { isCriticalPod, type Pod } from "@hooklet/manifest";
import { SOURCE_ANNOTATION } from "../holds.js";
import type { Life, PodState } from "../state.js";
import { type DesiredPod, fullName } from "./desired-state.js";
import { orphan, type PodRemains } from "./take-over.js";

/** What the runtime had when the agent started, by uid and by name: pods that come are taken over from it. */
export class RestoredPods {
  readonly #pods = new Map<string, PodRemains>();
  readonly #byName = new Map<string, PodRemains[]>();

  /** Replaces what was known. */
  found(remains: Iterable<PodRemains>): void {
    this.clear();
    for (const one of remains) {
      this.#pods.set(one.uid, one);
      const name = fullName(orphan(one));
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), one]);
    }
  }

  clear(): void {
    this.#pods.clear();
    this.#byName.clear();
  }

  get(uid: string): PodRemains | undefined {
    return this.#pods.get(uid);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  all(): readonly PodRemains[] {
    return [...this.#pods.values()];
  }

  sourceOf(uid: string): string | undefined {
    return this.#pods.get(uid)?.sandboxes.at(-1)?.annotations[SOURCE_ANNOTATION];
  }

  /**
   * The order in which pods are taken: those that ran, then the others, critical ones first. Admission is by arrival, as in the kubelet:
   * a higher priority starts earlier here, but does not take the place of another pod.
   */
  inOrder(pods: readonly DesiredPod[]): {
    readonly ran: readonly DesiredPod[];
    readonly others: readonly DesiredPod[];
  } {
    const ran: DesiredPod[] = [];
    const others: DesiredPod[] = [];
    for (const one of pods) (this.has(one.pod.metadata.uid) ? ran : others).push(one);
    const rank = ({ pod }: DesiredPod): number => (isCriticalPod(pod) ? 0 : 1);
    return { ran, others: others.toSorted((a, b) => rank(a) - rank(b)) };
  }

  /** A pod of the same name and another uid that is not taken over: the manifest changed while no agent ran. */
  sameName(pod: Pod, workers: ReadonlyMap<string, unknown>): PodRemains | undefined {
    const sameName = this.#byName.get(fullName(pod)) ?? [];
    return sameName.find(({ uid }) => uid !== pod.metadata.uid && this.#pods.has(uid) && !workers.has(uid));
  }
}

// Pods that run from before a restart of the agent and are not admitted again yet: their source is silent, or they wait for their turn. What they hold
// of the node stays theirs.

/** What a pod's worker must provide. */
interface Taken {
  readonly state: Pick<PodState, "life">;
  readonly shown: Pod;
}

export class PendingPods {
  readonly #pods = new Map<string, Pod>();

  /** What the runtime had when the agent started. What does not run any more holds nothing. */
  found(remains: Iterable<PodRemains>): void {
    this.#pods.clear();
    for (const one of remains) if (runs(one)) this.#pods.set(one.uid, orphan(one));
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** The pod is gone, or its sandbox is. */
  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  /** Pods that are not taken over yet: the same objects as long as they are pending. */
  silent(workers: ReadonlyMap<string, unknown>): readonly Pod[] {
    return [...this.#pods].flatMap(([uid, pod]) => (workers.has(uid) ? [] : pod));
  }

  /** Those, and pods that are taken over and not admitted yet. */
  all(workers: ReadonlyMap<string, Taken>): readonly Pod[] {
    const pods: Pod[] = [];
    for (const [uid, pod] of this.#pods) {
      const worker = workers.get(uid);
      if (worker === undefined) pods.push(pod);
      else if (isUnadmitted(worker.state.life)) pods.push(worker.shown);
      // From now on its worker says what it holds.
      else this.#pods.delete(uid);
    }
    return pods;
  }
}

function isUnadmitted(life: Life): boolean {
  return life.kind === "pending" || (life.kind === "terminating" && life.unadmitted === true);
}

function runs({ sandboxes, containers }: PodRemains): boolean {
  return (
    sandboxes.some(({ state }) => state === "SANDBOX_READY") ||
    containers.some(({ state }) => state === "CONTAINER_RUNNING")
  );
}
