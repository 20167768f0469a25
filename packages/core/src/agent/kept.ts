/** A value that survives restarts of the agent: written on change, rate limited, in order, retried; callers wait no longer than they ask. */

import type { StateFile } from "@hooklet/linux";
import { type Clock, type Json, type Timer, withDeadline } from "@hooklet/utils";
import type { KeepOptions, KeptState } from "../plugin/contract/records.js";
import { schemaOf } from "../plugin/loaded.js";

/** Keeps a value in a state file. */
export function keepIn<T>(file: StateFile<Json>, clock: Clock, options: KeepOptions<T>): KeptState<T> {
  return new KeptInFile(file, clock, options);
}

class KeptInFile<T> implements KeptState<T> {
  /** There is something to write that no write has begun for. */
  #stale = false;
  /** The next write. */
  #timer: Timer | undefined;
  /** Writes under way: they settle in their order, those that were overtaken with the next one. */
  #writing = 0;
  #last: Promise<void> = Promise.resolve();
  #failed = false;
  #closed = false;
  /** Monotonic milliseconds before which no write begins, unless a caller asks for one. */
  #next = 0;

  constructor(
    private readonly file: StateFile<Json>,
    private readonly clock: Clock,
    private readonly options: KeepOptions<T>,
  ) {}

  read(): Promise<T | undefined> {
    return this.file.readAs((saved) => {
      const { data, error } = schemaOf(this.options.schema).safeParse(saved);
      if (error === undefined) return data;
      const [issue] = error.issues;
      throw new Error(`${issue?.path.join(".") || "the whole"}: ${issue?.message}`);
    });
  }

  changed(): void {
    this.#stale = true;
    if (this.#timer === undefined && this.#writing === 0) this.#plan(this.#next);
  }

  async saved(): Promise<void> {
    const { within } = this.options;
    const written = this.#write();
    if (within === undefined) return written;
    const late = (): Error => new Error(`the disk has not taken it within ${within} ms; it is still being written`);
    await withDeadline(this.clock, within, written, late).catch((error: unknown) => this.#report(error));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    if (this.#stale) await this.saved();
    else await this.#last;
  }

  #plan(at: number): void {
    if (this.#closed) return;
    this.#timer = this.clock.schedule(Math.max(0, at - this.clock.monotonic()), () => {
      this.#timer = undefined;
      if (this.#stale) void this.#write();
    });
  }

  /** Never rejects. */
  #write(): Promise<void> {
    const { value, spacing = 0, retry } = this.options;
    this.#stale = false;
    this.#writing++;
    this.#next = this.clock.monotonic() + spacing;
    this.#last = (async () => this.file.write(value() as Json))()
      .then(
        () => {
          this.#failed = false;
        },
        (error: unknown) => {
          this.#report(error);
          if (retry === undefined) return;
          this.#stale = true;
          this.#next = this.clock.monotonic() + retry;
        },
      )
      .then(() => {
        this.#writing--;
        if (this.#stale && this.#writing === 0 && this.#timer === undefined) this.#plan(this.#next);
      });
    return this.#last;
  }

  /** Once until a write succeeds. */
  #report(error: unknown): void {
    if (!this.#failed) this.options.failed(error);
    this.#failed = true;
  }
}
