/** Tells each thing once: until it is another one, or was over in between. */
export class Once {
  readonly #last = new Map<string, string>();

  /** True when `text` differs from the last one about the subject, which it replaces. */
  isNews(subject: string, text = ""): boolean {
    if (this.#last.get(subject) === text) return false;
    this.#last.set(subject, text);
    return true;
  }

  /** The last text about the subject does not hold any more. */
  over(subject: string): void {
    this.#last.delete(subject);
  }

  /** Forgets all texts. */
  forget(): void {
    this.#last.clear();
  }

  get size(): number {
    return this.#last.size;
  }
}
