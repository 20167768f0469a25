/** The victim of a round on disk, from before its kill until it is gone: an agent that dies in between takes no second one for it. */
import type { Checkpoint, Json } from "@hooklet/core";

export class PendingEvictions {
  readonly #uids = new Set<string>();
  #written: Promise<void> = Promise.resolve();

  constructor(private readonly checkpoint: Checkpoint) {}

  /** Uids of an earlier life. */
  async load(): Promise<readonly string[]> {
    return uidsOf(await this.checkpoint.read());
  }

  begin(uid: string): Promise<void> {
    this.#uids.add(uid);
    return this.#write();
  }

  end(uid: string): Promise<void> {
    this.#uids.delete(uid);
    return this.#write();
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
