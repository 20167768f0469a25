/** The stored results of probes, and what a changed one does (the kubelet's results_manager.go and sync loop). Pure. */
import type { Pod } from "@hooklet/core";
import { containerRestartPolicy } from "@hooklet/core/rules";
import type { ProbeKind, Result } from "./types.js";

/** The results of one kind of probe, by container id. */
export class ResultCache {
  readonly #results = new Map<string, Result>();

  get(containerId: string): Result | undefined {
    return this.#results.get(containerId);
  }

  /** Whether the value is new or has changed: only then listeners are called. */
  set(containerId: string, result: Result): boolean {
    if (this.#results.get(containerId) === result) return false;
    this.#results.set(containerId, result);
    return true;
  }

  remove(containerId: string): void {
    this.#results.delete(containerId);
  }
}

export interface Action {
  /** Probes have a say in what the container's status says. */
  readonly writesStatus: boolean;
  /** The container is killed; its restart policy says what comes next. */
  readonly kill: boolean;
}

export function actionOf(kind: ProbeKind, result: Result): Action {
  return { writesStatus: kind !== "liveness", kill: kind !== "readiness" && result === "failure" };
}

/** Text of the `Killing` event (the kubelet's computePodActions and computeInitContainerActions). */
export function killMessage(pod: Pod, container: string, kind: ProbeKind): string {
  const main = pod.spec.containers.find(({ name }) => name === container);
  if (main === undefined) return `Init container ${container} failed ${kind} probe`;
  // Its rules are for exit codes: it has none yet.
  const restarts = containerRestartPolicy(pod, main) !== "Never";
  return `Container ${container} failed ${kind} probe${restarts ? ", will be restarted" : ""}`;
}
