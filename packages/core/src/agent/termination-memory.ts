/** Causes of terminations that outlive the agent: an evicted pod stays evicted. One checked file, written before the kill. */
import type { Json } from "../lib/json.js";
import type { Checkpoint } from "../plugin/contract.js";
import type { TerminationCause } from "../pod/termination.js";

export class TerminationMemory {
  readonly #causes = new Map<string, TerminationCause>();

  constructor(private readonly checkpoint: Checkpoint) {}

  async load(): Promise<ReadonlyMap<string, TerminationCause>> {
    const saved = await this.checkpoint.read();
    if (typeof saved === "object" && saved !== null && !Array.isArray(saved)) {
      for (const [uid, cause] of Object.entries(saved)) if (isCause(cause)) this.#causes.set(uid, cause);
    }
    return new Map(this.#causes);
  }

  async remember(uid: string, cause: TerminationCause): Promise<void> {
    if (this.#causes.has(uid)) return;
    this.#causes.set(uid, cause);
    await this.#write();
  }

  async forget(uid: string): Promise<void> {
    if (this.#causes.delete(uid)) await this.#write();
  }

  #write(): Promise<void> {
    return this.checkpoint.write(Object.fromEntries(this.#causes) as unknown as Json);
  }
}

function isCause(value: unknown): value is TerminationCause {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  if (value.kind === "deadline") return true;
  const words = value as { reason?: unknown; message?: unknown; by?: unknown };
  return value.kind === "evicted" && [words.reason, words.message, words.by].every((word) => typeof word === "string");
}
