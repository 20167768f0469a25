/** Writes under way, one at a time per pod: of two writes the server could apply the older one last. */
import { unlessAborted } from "@hooklet/core/subsystem";

export class UnderWay {
  /** Uid -> ends with the write, and never rejects. */
  readonly #writes = new Map<string, Promise<unknown>>();

  has(uid: string): boolean {
    return this.#writes.has(uid);
  }

  /**
   * Begins the work at once, or when that of the same pod has ended. Settles as the work does; rejects with the signal's reason where
   * that aborts before it has begun.
   */
  async run(uid: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let before = this.#writes.get(uid); before !== undefined; before = this.#writes.get(uid)) {
      await unlessAborted(signal, before);
    }
    signal.throwIfAborted();
    const write = work();
    const end = () => this.#writes.delete(uid);
    this.#writes.set(uid, write.then(end, end));
    await write;
  }
}
