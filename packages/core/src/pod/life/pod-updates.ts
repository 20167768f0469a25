/** Decides what happens to a running pod whose manifest changes: it continues, is updated in place, or is replaced. */
import { type Pod, runsTheSame, saysTheSame } from "@hooklet/manifest";
import { deepFreeze } from "@hooklet/utils";
import type { TerminationCause } from "../../hooks/termination.js";
import type { PodWorker } from "./worker.js";

export interface PodUpdatesPorts {
  /** Whether a plugin applies another spec to the running pod. */
  readonly applies: (before: Pod, after: Pod) => boolean;
  /** Another pod is wanted under its name. */
  readonly isReplaced: (pod: Pod) => boolean;
  readonly terminate: (worker: PodWorker, cause: TerminationCause, gracePeriodSeconds?: number) => void;
}

export class PodUpdates {
  /** Those that go and come back under the same uid. */
  readonly #returning = new WeakSet<PodWorker>();

  constructor(private readonly ports: PodUpdatesPorts) {}

  /** True once for each pod that comes back, however often its place is requested while it ends. */
  returns(worker: PodWorker): boolean {
    const isNew = !this.#returning.has(worker);
    this.#returning.add(worker);
    return isNew;
  }

  /**
   * Brings a worker to what is wanted of it now; true when it goes and its place is wanted by the same uid again.
   * @param grace seconds, of a deletion that says so
   */
  leaves(worker: PodWorker, pod: Pod | undefined, grace: number | undefined): boolean {
    const { isReplaced, terminate } = this.ports;
    if (pod === undefined) {
      terminate(worker, { kind: isReplaced(worker.pod) ? "replaced" : "deleted" }, grace);
      return false;
    }
    if (isDeleted(pod)) {
      terminate(worker, { kind: "deleted" }, pod.metadata.deletionGracePeriodSeconds);
      return false;
    }
    if (worker.state.removal !== undefined) return true;
    if (this.#goesOn(worker, pod)) return false;
    terminate(worker, { kind: "replaced" });
    return true;
  }

  /** Applies another spec to a running pod, when a plugin can. */
  update(worker: PodWorker, after: Pod): boolean {
    if (worker.state.removal !== undefined || worker.state.life.kind !== "active") return false;
    return this.ports.applies(worker.pod, deepFreeze(after)) && renew(worker, after);
  }

  #goesOn(worker: PodWorker, pod: Pod): boolean {
    if (saysTheSame(worker.pod, pod)) return true;
    return runsTheSame(worker.pod, pod) ? renew(worker, pod) : this.update(worker, pod);
  }
}

function renew(worker: PodWorker, pod: Pod): true {
  worker.dispatch({ type: "updated", pod });
  return true;
}

/** The pod is being deleted at its source. */
export function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
