/**
 * Preemptions that have begun, on disk before the first kill: an agent that restarts halfway continues with the same victims
 * and chooses no others.
 */
import type { Checkpoint } from "@hooklet/core";
import type { KeptState } from "@hooklet/core/subsystem";

/** Far more than can be under way: admission is one pod at a time. */
const KEPT = 100;

export class PendingPreemptions {
  /** Uid of the pod that shall be admitted -> uids of its victims. */
  readonly #victims = new Map<string, readonly string[]>();

  readonly #kept: KeptState<Readonly<Record<string, readonly string[]>>>;

  /** @param failed called with the error of a failed write */
  constructor(checkpoint: Pick<Checkpoint, "keep">, failed: (error: unknown) => void) {
    this.#kept = checkpoint.keep<Readonly<Record<string, readonly string[]>>>({
      value: () => Object.fromEntries(this.#victims),
      schema: (z) => z.record(z.string(), z.array(z.string())),
      failed,
    });
  }

  /** Reads what an earlier life left. Pods may come late: what is for none falls out when others begin. */
  async load(): Promise<void> {
    for (const [uid, victims] of Object.entries((await this.#kept.read()) ?? {})) this.#victims.set(uid, victims);
  }

  victimsOf(uid: string): readonly string[] | undefined {
    return this.#victims.get(uid);
  }

  /** Resolves once it is on disk, or could not be written. */
  async begin(uid: string, victims: readonly string[]): Promise<void> {
    this.#victims.delete(uid);
    this.#victims.set(uid, victims);
    for (const oldest of this.#victims.keys()) if (this.#victims.size > KEPT) this.#victims.delete(oldest);
    await this.#kept.saved();
  }

  async end(uid: string): Promise<void> {
    if (this.#victims.delete(uid)) await this.#kept.saved();
  }
}
