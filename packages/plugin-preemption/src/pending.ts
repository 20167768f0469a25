/**
 * Preemptions that have begun, on disk before the first kill: an agent that dies halfway goes on with the same victims
 * and takes no others.
 */
import { type Checkpoint, isRecord, type Json } from "@hooklet/core";

/** Far more than can be under way: admission is one pod at a time. */
const KEPT = 100;

export class PendingPreemptions {
  /** Uid of the pod that shall be admitted -> uids of its victims. */
  readonly #victims = new Map<string, readonly string[]>();

  constructor(private readonly checkpoint: Checkpoint) {}

  /** Reads what an earlier life left. Pods may come late: what is for none falls out when others begin. */
  async load(): Promise<void> {
    const saved = await this.checkpoint.read();
    if (!isRecord(saved)) return;
    for (const [uid, victims] of Object.entries(saved)) {
      if (Array.isArray(victims))
        this.#victims.set(
          uid,
          victims.filter((one) => typeof one === "string"),
        );
    }
  }

  victimsOf(uid: string): readonly string[] | undefined {
    return this.#victims.get(uid);
  }

  /** Resolves once it is on disk. */
  async begin(uid: string, victims: readonly string[]): Promise<void> {
    this.#victims.delete(uid);
    this.#victims.set(uid, victims);
    for (const oldest of this.#victims.keys()) if (this.#victims.size > KEPT) this.#victims.delete(oldest);
    await this.#write();
  }

  async end(uid: string): Promise<void> {
    if (this.#victims.delete(uid)) await this.#write();
  }

  #write(): Promise<void> {
    return this.checkpoint.write(Object.fromEntries(this.#victims) as unknown as Json);
  }
}
