/** What a worker and who watches it share: which inputs are under way, and that the worker lives. */
const SLOTS = 64;
const BEAT = SLOTS;

export class Progress {
  readonly #words: Int32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer((SLOTS + 1) * 4)) {
    this.#words = new Int32Array(memory);
  }

  /** The slot is free again with undefined. */
  note(slot: number, index: number | undefined): void {
    Atomics.store(this.#words, slot, index === undefined ? 0 : index + 1);
  }

  beat(): void {
    Atomics.add(this.#words, BEAT, 1);
  }

  get beats(): number {
    return Atomics.load(this.#words, BEAT);
  }

  /** Numbers of the inputs that are under way. */
  get underWay(): readonly number[] {
    return Array.from({ length: SLOTS }, (_, slot) => Atomics.load(this.#words, slot) - 1).filter((index) => index >= 0);
  }
}
