/** The stored results of one kind of probe, by container id (the kubelet's results_manager.go). */
import type { Result } from "./types.js";

export class ResultCache {
  readonly #results = new Map<string, Result>();

  get(containerId: string): Result | undefined {
    return this.#results.get(containerId);
  }

  /** Whether the value is new or has changed: only then others hear of it. */
  set(containerId: string, result: Result): boolean {
    if (this.#results.get(containerId) === result) return false;
    this.#results.set(containerId, result);
    return true;
  }

  remove(containerId: string): void {
    this.#results.delete(containerId);
  }
}
