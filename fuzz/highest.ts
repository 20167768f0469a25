/** The few that are highest of many. Pure. */
export class Highest {
  readonly #kept: { readonly index: number; readonly score: number }[] = [];

  constructor(private readonly most: number) {}

  /** Whether it would be among them. */
  takes(score: number): boolean {
    return this.#kept.length < this.most || score > (this.#kept.at(-1)?.score ?? 0);
  }

  add(index: number, score: number): void {
    this.#kept.push({ index, score });
    this.#kept.sort((a, b) => b.score - a.score).splice(this.most);
  }

  get indices(): readonly number[] {
    return this.#kept.map(({ index }) => index);
  }
}
