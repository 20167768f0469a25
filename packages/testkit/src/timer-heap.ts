/** A timer that waits: ordered by due time, ties by order of insertion. */
export interface HeapEntry {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
  state: "waiting" | "cancelled" | "ran";
}

function before(a: HeapEntry, b: HeapEntry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/** Binary heap of timers. Cancelled ones stay until they surface or are half of the heap. */
export class TimerHeap {
  #entries: HeapEntry[] = [];
  #cancelled = 0;

  /** Timers that wait and are not cancelled. */
  get size(): number {
    return this.#entries.length - this.#cancelled;
  }

  push(entry: HeapEntry): void {
    const entries = this.#entries;
    let index = entries.length;
    entries.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex];
      if (parent === undefined || !before(entry, parent)) break;
      entries[index] = parent;
      index = parentIndex;
    }
    entries[index] = entry;
  }

  /** Does nothing to a timer that ran or was cancelled. */
  cancel(entry: HeapEntry): void {
    if (entry.state !== "waiting") return;
    entry.state = "cancelled";
    this.#cancelled += 1;
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#entries.length) this.#compact();
  }

  /** The earliest timer, left where it is. */
  peek(): HeapEntry | undefined {
    let first = this.#entries[0];
    while (first?.state === "cancelled") {
      this.#removeFirst();
      this.#cancelled -= 1;
      first = this.#entries[0];
    }
    return first;
  }

  /** Takes the earliest timer out: it counts as run. */
  pop(): HeapEntry | undefined {
    const first = this.peek();
    if (first === undefined) return undefined;
    first.state = "ran";
    this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = entries[childIndex];
      if (child === undefined) break;
      const right = entries[childIndex + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        childIndex += 1;
      }
      if (!before(child, last)) break;
      entries[index] = child;
      index = childIndex;
    }
    entries[index] = last;
  }

  #compact(): void {
    const waiting = this.#entries.filter((entry) => entry.state === "waiting");
    // A sorted array is a heap.
    this.#entries = waiting.sort((a, b) => (before(a, b) ? -1 : 1));
    this.#cancelled = 0;
  }
}
