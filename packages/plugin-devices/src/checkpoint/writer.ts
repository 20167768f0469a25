/** Writes the newest state; what was overtaken while the disk was busy is never written. */
export class LatestWriter {
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param write makes the text and writes it */
  constructor(private readonly write: () => Promise<void>) {}

  /** Resolves once a state not older than the one at the call is on disk; rejects when it cannot be written. */
  save(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.write();
    });
    this.#last = next.catch(() => undefined);
    this.#next = next;
    return next;
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#last;
  }
}
