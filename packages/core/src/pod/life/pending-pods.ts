/**
 * Pods that run from before a restart of the agent and are not admitted again yet: their source is silent, or they wait for
 * their turn. What they hold of the node stays theirs.
 */
import type { Pod } from "@hooklet/manifest";
import type { Life, PodState } from "../state.js";
import { orphan, type PodRemains } from "./adopt.js";

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
