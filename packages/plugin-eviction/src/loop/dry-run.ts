/** A dry run meets the same shortage at every round: it is told once for each pod and signal, and again after a while. Pure. */
import type { PodEviction } from "./ports.js";

/** Milliseconds. */
const AGAIN = 300_000;

export class DryRunMemory {
  /** Pod and signal -> when it was told. */
  readonly #told = new Map<string, number>();

  /** Is it news? Then it counts as told. @param now monotonic milliseconds */
  isNews({ pod, signal }: Pick<PodEviction, "pod" | "signal">, now: number): boolean {
    for (const [key, at] of this.#told) if (now - at >= AGAIN) this.#told.delete(key);
    const key = `${pod.metadata.uid} ${signal}`;
    if (this.#told.has(key)) return false;
    this.#told.set(key, now);
    return true;
  }
}
