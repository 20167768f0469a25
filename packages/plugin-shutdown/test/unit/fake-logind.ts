/** A logind that does what a test tells it. */
import type { Lock, Logind } from "../../src/index.js";

export class FakeLogind implements Logind {
  /** Seconds. */
  delay = 5;
  /** What it makes of a wish; default: it is granted. */
  grants: (seconds: number) => number = (seconds) => seconds;
  isThere = true;
  goesDown = false;
  /** Until then no lock comes. */
  busy: Promise<void> | undefined;
  /** Locks that are held. */
  held = 0;
  asked = 0;
  readonly #listeners = new Set<{ changed(): void; fail(error: Error): void }>();
  readonly #locks = new Set<() => void>();

  async longestDelay(): Promise<number> {
    this.asked += 1;
    if (!this.isThere) throw new Error("spawn busctl ENOENT");
    return this.delay;
  }

  async setLongestDelay(seconds: number): Promise<void> {
    this.delay = this.grants(seconds);
  }

  async inhibit(): Promise<Lock> {
    await this.busy;
    if (this.goesDown) throw new Error("The operation inhibition has been requested for is already running");
    this.held += 1;
    let let_go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      let_go = resolve;
    });
    const release = (): void => {
      if (!this.#locks.delete(release)) return;
      this.held -= 1;
      let_go();
    };
    this.#locks.add(release);
    return { release, gone };
  }

  async isGoingDown(): Promise<boolean> {
    return this.goesDown;
  }

  watch(changed: () => void, signal: AbortSignal): Promise<void> {
    return new Promise((_, fail) => {
      const listener = { changed, fail };
      this.#listeners.add(listener);
      signal.addEventListener("abort", () => {
        this.#listeners.delete(listener);
        fail(new Error("aborted"));
      });
    });
  }

  /** PrepareForShutdown. */
  prepare(goesDown: boolean): void {
    this.goesDown = goesDown;
    this.signal();
  }

  /** A signal, whoever sent it. */
  signal(): void {
    for (const { changed } of this.#listeners) changed();
  }

  /** The bus goes away. */
  cut(): void {
    for (const { fail } of this.#listeners) fail(new Error("busctl monitor ended: no words"));
    this.#listeners.clear();
  }

  dropLocks(): void {
    for (const release of [...this.#locks]) release();
  }
}
