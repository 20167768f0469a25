/** Tells each thing once: until it is another one, or was over in between. */
export class Once {
  readonly #told = new Map<string, string>();

  /** True when `text` is not what was told last of the subject; from then on it is. */
  isNews(subject: string, text = ""): boolean {
    if (this.#told.get(subject) === text) return false;
    this.#told.set(subject, text);
    return true;
  }

  /** What was told of the subject does not hold any more. */
  over(subject: string): void {
    this.#told.delete(subject);
  }

  /** Nothing has been told. */
  forget(): void {
    this.#told.clear();
  }

  get size(): number {
    return this.#told.size;
  }
}
