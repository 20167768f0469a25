/** A set of listeners. An error of one reaches neither the other listeners nor the caller. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #all = new Set<(...args: Args) => void>();

  constructor(private readonly failed: (error: unknown) => void) {}

  /** Returns what ends it. */
  add(listener: (...args: Args) => void): () => void {
    // One function may listen twice.
    const own = (...args: Args): void => listener(...args);
    this.#all.add(own);
    return () => this.#all.delete(own);
  }

  get size(): number {
    return this.#all.size;
  }

  tell(...args: Args): void {
    for (const listener of this.#all) {
      try {
        listener(...args);
      } catch (error) {
        this.failed(error);
      }
    }
  }
}
