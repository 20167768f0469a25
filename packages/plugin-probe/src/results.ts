/** The stored results of one kind of probe, by container id (the kubelet's results_manager.go). */
import type { Result } from "./types.js";

export class ResultCache {
  readonly #results = new Map<string, Result>();

  /** `onUpdate` is called when a value is new or has changed. */
  constructor(private readonly onUpdate: (containerId: string, result: Result) => void = () => {}) {}

  get(containerId: string): Result | undefined {
    return this.#results.get(containerId);
  }

  set(containerId: string, result: Result): void {
    if (this.#results.get(containerId) === result) return;
    this.#results.set(containerId, result);
    this.onUpdate(containerId, result);
  }

  remove(containerId: string): void {
    this.#results.delete(containerId);
  }
}
