/** A binary heap of what is due when, with removal from the middle. */
export interface Due {
  /** Monotonic milliseconds. */
  due: number;
  /** Where it stands in the heap; -1 when it is not in. The heap's own. */
  place: number;
}

export class DueHeap<Entry extends Due> {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

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
      if (parent === undefined || parent.due <= entry.due) break;
      this.#swap(parent, entry);
      moved = true;
    }
    return moved;
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.place + 1];
      const right = this.#entries[2 * entry.place + 2];
      const child = right !== undefined && left !== undefined && right.due < left.due ? right : left;
      if (child === undefined || entry.due <= child.due) return;
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
