/** What a worker and who watches it share: which input is under way, and that the worker lives. */
export class Progress {
  readonly #words: Int32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.#words = new Int32Array(memory);
  }

  /** The input that is begun. */
  begin(index: number): void {
    Atomics.store(this.#words, 0, index);
    this.beat();
  }

  beat(): void {
    Atomics.add(this.#words, 1, 1);
  }

  /** The last input that was begun; 0 before the first. */
  get index(): number {
    return Atomics.load(this.#words, 0);
  }

  get beats(): number {
    return Atomics.load(this.#words, 1);
  }
}

/** Milliseconds of CPU that this process has used, all threads together. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
