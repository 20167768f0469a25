export interface HeapEntry {
  /** Where it stands in its heap; -1 when it is in none. The heap's own. */
  place: number;
}

/** A binary heap with removal from the middle. An entry is in one heap at most. */
export class Heap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = [];

  /** @param before whether the first comes out before the second; equal ones come in any order, the same for the same calls */
  constructor(private readonly before: (one: Entry, other: Entry) => boolean) {}

  get size(): number {
    return this.#entries.length;
  }

  /** The first entry, left where it is. */
  peek(): Entry | undefined {
    return this.#entries[0];
  }

  /** Puts it in, or to its new place when it is in already. */
  put(entry: Entry): void {
    if (entry.place === -1) {
      entry.place = this.#entries.length;
      this.#entries.push(entry);
    }
    if (!this.#up(entry)) this.#down(entry);
  }

  /** Does nothing when it is not in. */
  remove(entry: Entry): void {
    const { place } = entry;
    if (place === -1) return;
    entry.place = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    last.place = place;
    this.#entries[place] = last;
    if (!this.#up(last)) this.#down(last);
  }

  #up(entry: Entry): boolean {
    let moved = false;
    while (entry.place > 0) {
      const parent = this.#entries[(entry.place - 1) >> 1];
      if (parent === undefined || !this.before(entry, parent)) break;
      this.#swap(parent, entry);
      moved = true;
    }
    return moved;
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.place + 1];
      const right = this.#entries[2 * entry.place + 2];
      const child = right !== undefined && left !== undefined && this.before(right, left) ? right : left;
      if (child === undefined || !this.before(child, entry)) return;
      this.#swap(entry, child);
    }
  }

  /** `above` and the one below it change places. */
  #swap(above: Entry, below: Entry): void {
    const place = above.place;
    above.place = below.place;
    below.place = place;
    this.#entries[above.place] = above;
    this.#entries[below.place] = below;
  }
}
