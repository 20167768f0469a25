/** Whole numbers, the greatest on top. Pure. */
export class PositionHeap {
  readonly #items: number[] = [];

  /** The greatest, undefined when there is none. */
  get top(): number | undefined {
    return this.#items[0];
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as number;
      if (above >= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): void {
    const items = this.#items;
    const item = items.pop();
    if (item === undefined || items.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as number) > (items[child] as number)) child += 1;
      const below = items[child] as number;
      if (below <= item) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
