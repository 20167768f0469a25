/** On a terminal a line that says what takes long, for how long, and what is left; gone when it is over. */
import type { Timer } from "@hooklet/utils";
import { type Io, type Output, write } from "./io.js";

/** So long nothing is said, milliseconds; then it is renewed this often. */
const PATIENCE = 2_000;
const EVERY = 1_000;
const CLEAR = "\r\u001b[K";

export interface Steps {
  readonly done: number;
  readonly of: number;
  /** `runs`. */
  readonly what: string;
}

export class Progress {
  #timer: Timer | undefined;
  #isShown = false;

  /** @param far how far it is: in words, or in steps, of which the time that is left is made; undefined: not known */
  constructor(
    private readonly io: Pick<Io, "stderr" | "clock">,
    private readonly what: string,
    private readonly far: () => string | Steps | undefined = () => undefined,
  ) {}

  async during<T>(work: Promise<T>): Promise<T> {
    const { stderr, clock } = this.io;
    if (stderr.isTTY !== true) return work;
    const began = clock.monotonic();
    const draw = (): void => {
      const text = progressText(this.what, this.far(), (clock.monotonic() - began) / 1000);
      stderr.write(`${CLEAR}${text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
      this.#isShown = true;
      this.#timer = clock.schedule(EVERY, draw);
    };
    this.#timer = clock.schedule(PATIENCE, draw);
    try {
      return await work;
    } finally {
      this.#timer?.cancel();
      this.#clear();
    }
  }

  /** What is written to `out` does not stand behind the line. */
  before(out: Output): Pick<Output, "write"> {
    return {
      write: (data: string | Uint8Array) => {
        this.#clear();
        return out.write(data);
      },
    } as Pick<Output, "write">;
  }

  #clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    void write(this.io.stderr, CLEAR);
  }
}

/** `Simulating x: 3 of 8 runs, 12 s, about 20 s left`. */
export function progressText(what: string, far: string | Steps | undefined, seconds: number): string {
  const took = `${Math.round(seconds)} s`;
  if (far === undefined) return `${what}: ${took}`;
  if (typeof far === "string") return `${what}: ${far}, ${took}`;
  const { done, of, what: steps } = far;
  const left = done === 0 ? "" : `, about ${Math.max(1, Math.round((seconds / done) * (of - done)))} s left`;
  return `${what}: ${done} of ${of} ${steps}, ${took}${left}`;
}
