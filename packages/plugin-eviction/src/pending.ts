/** Victims on disk, from before their kill until they are gone: an agent that dies in between takes no second one for the same shortage. */
import { type Checkpoint, type Clock, isRecord, type Json, withDeadline } from "@hooklet/core";

/** Milliseconds that a kill waits for the disk, which may be slow for the very shortage that the kill shall end. */
const PATIENCE = 1000;

export class PendingEvictions {
  readonly #uids = new Set<string>();
  #writing: Promise<void> = Promise.resolve();

  /** @param failed told of what could not be written */
  constructor(
    private readonly checkpoint: Checkpoint,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Uids of an earlier life; they stay until `end`. */
  async load(): Promise<readonly string[]> {
    const uids = uidsOf(await this.checkpoint.read());
    for (const uid of uids) this.#uids.add(uid);
    return uids;
  }

  /**
   * Resolves once it is on disk, could not be written, or has taken a second: an eviction that makes room on a full disk, or ends what
   * makes it slow, must not wait for that.
   */
  async begin(uid: string): Promise<void> {
    this.#uids.add(uid);
    await this.#written();
  }

  /** Those that nobody has to wait for any more. Never rejects, and does not wait for the disk longer than `begin` does. */
  async end(isOver: (uid: string) => boolean): Promise<void> {
    const over = [...this.#uids].filter(isOver);
    for (const uid of over) this.#uids.delete(uid);
    if (over.length > 0) await this.#written();
  }

  async #written(): Promise<void> {
    const late = (): Error => new Error(`the disk has not taken it within ${PATIENCE} ms; it is still being written`);
    await withDeadline(this.clock, PATIENCE, this.#write(), late).catch(this.failed);
  }

  /** One after the other; what is written is what holds by then. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.checkpoint.write({ pods: [...this.#uids] })).catch(this.failed);
    return this.#writing;
  }
}

function uidsOf(saved: Json | undefined): readonly string[] {
  if (!isRecord(saved)) return [];
  const { pods } = saved;
  return Array.isArray(pods) ? pods.filter((one) => typeof one === "string") : [];
}
