/** Victims on disk, from before their kill until they are gone: an agent that dies in between takes no second one for the same shortage. */
import { type Checkpoint, isRecord, type Json } from "@hooklet/core";

export class PendingEvictions {
  readonly #uids = new Set<string>();
  #written: Promise<void> = Promise.resolve();

  /** @param failed told of what could not be written */
  constructor(
    private readonly checkpoint: Checkpoint,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Uids of an earlier life; they stay until `end`. */
  async load(): Promise<readonly string[]> {
    const uids = uidsOf(await this.checkpoint.read());
    for (const uid of uids) this.#uids.add(uid);
    return uids;
  }

  /** Resolves once it is on disk, or could not be written: an eviction that makes room on a full disk must not wait for that room. */
  begin(uid: string): Promise<void> {
    this.#uids.add(uid);
    return this.#write();
  }

  /** Those that nobody has to wait for any more. Never rejects. */
  async end(isOver: (uid: string) => boolean): Promise<void> {
    const over = [...this.#uids].filter(isOver);
    for (const uid of over) this.#uids.delete(uid);
    if (over.length > 0) await this.#write();
  }

  #write(): Promise<void> {
    const value = { pods: [...this.#uids] };
    this.#written = this.#written.then(() => this.checkpoint.write(value)).catch(this.failed);
    return this.#written;
  }
}

function uidsOf(saved: Json | undefined): readonly string[] {
  if (!isRecord(saved)) return [];
  const { pods } = saved;
  return Array.isArray(pods) ? pods.filter((one) => typeof one === "string") : [];
}
