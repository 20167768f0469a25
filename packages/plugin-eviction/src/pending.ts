/** Victims on disk, from before their kill until they are gone: an agent that dies in between takes no second one for the same shortage. */
import type { Checkpoint, Json } from "@hooklet/core";

export class PendingEvictions {
  readonly #uids = new Set<string>();
  #written: Promise<void> = Promise.resolve();

  constructor(private readonly checkpoint: Checkpoint) {}

  /** Uids of an earlier life; they stay until `end`. */
  async load(): Promise<readonly string[]> {
    const uids = uidsOf(await this.checkpoint.read());
    for (const uid of uids) this.#uids.add(uid);
    return uids;
  }

  begin(uid: string): Promise<void> {
    this.#uids.add(uid);
    return this.#write();
  }

  /** Those that nobody has to wait for any more. */
  async end(isOver: (uid: string) => boolean): Promise<void> {
    const over = [...this.#uids].filter(isOver);
    for (const uid of over) this.#uids.delete(uid);
    if (over.length > 0) await this.#write();
  }

  #write(): Promise<void> {
    const value = { pods: [...this.#uids] };
    this.#written = this.#written.catch(() => undefined).then(() => this.checkpoint.write(value));
    return this.#written;
  }
}

function uidsOf(saved: Json | undefined): readonly string[] {
  if (typeof saved !== "object" || saved === null || Array.isArray(saved)) return [];
  const { pods } = saved as { readonly pods?: Json };
  return Array.isArray(pods) ? pods.filter((one) => typeof one === "string") : [];
}
