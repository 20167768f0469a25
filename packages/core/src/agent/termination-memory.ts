/** Causes of terminations that outlive the agent: an evicted pod stays evicted. One checked file, written before the kill. */
import type { TerminationCause } from "../hooks/termination.js";
import type { Checkpoint, KeptState } from "../plugin/contract.js";

/** Milliseconds after which a write that failed is tried again. */
const RETRY = 10_000;

export interface MemoryPorts {
  readonly checkpoint: Pick<Checkpoint, "keep">;
  report(where: string, error: unknown): void;
}

export class TerminationMemory {
  readonly #causes = new Map<string, TerminationCause>();
  readonly #kept: KeptState<Readonly<Record<string, TerminationCause>>>;

  constructor({ checkpoint, report }: MemoryPorts) {
    this.#kept = checkpoint.keep<Readonly<Record<string, TerminationCause>>>({
      value: () => Object.fromEntries(this.#causes),
      schema: (z) =>
        z.record(
          z.string(),
          z.union([
            z.strictObject({ kind: z.literal("deadline") }),
            z.looseObject({ kind: z.literal("evicted"), by: z.string(), reason: z.string(), message: z.string() }),
          ]),
        ),
      failed: (error) => report("terminations", error),
      retry: RETRY,
    });
  }

  async load(): Promise<ReadonlyMap<string, TerminationCause>> {
    for (const [uid, cause] of Object.entries((await this.#kept.read()) ?? {})) this.#causes.set(uid, cause);
    return new Map(this.#causes);
  }

  /**
   * Resolves once it is on disk, or could not be written: an eviction that frees a full disk must not wait for free space.
   * A failed write is reported and retried.
   */
  async remember(uid: string, cause: TerminationCause): Promise<void> {
    if (!this.#causes.has(uid)) this.#causes.set(uid, cause);
    await this.#kept.saved();
  }

  async forget(uid: string): Promise<void> {
    if (this.#causes.delete(uid)) await this.#kept.saved();
  }

  /** Tries what is not written yet once more, and no more. */
  stop(): Promise<void> {
    return this.#kept.close();
  }
}
