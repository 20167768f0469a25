/**
 * The agent's own output, when it may not be read: a terminal that is held by Ctrl-S, a pipe into a program that stands still. Node writes
 * to terminals with calls that wait for the reader; an agent would look after no pod meanwhile.
 */

import type { Io, Output } from "@hooklet/cli/extend";
import { sleep } from "@hooklet/utils";

/** Bytes that may wait for a reader; what comes then is lost. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds that a reader has at the end. */
const PATIENCE = 2_000;

interface Handle {
  setBlocking?(blocking: boolean): unknown;
}

export class UnreadOutput {
  #lost = 0;
  /** Called with the number of lines that are missing, once output can be written again. */
  tellLost: (lines: number) => void = () => undefined;

  constructor(private readonly io: Pick<Io, "stdout" | "stderr" | "clock" | "exit">) {
    this.#block(false);
    io.stderr.on("drain", this.#drained);
  }

  /** A line of the log. */
  log(text: string): void {
    const { stderr } = this.io;
    if (stderr.writableLength > MAX_WAITING) this.#lost += 1;
    else stderr.write(text);
  }

  /** Gives the terminal back. If output is left for a reader that does not read, the process ends at once, with this code. */
  async end(code: number): Promise<void> {
    const { io } = this;
    io.stderr.off("drain", this.#drained);
    const late = sleep(io.clock, PATIENCE).then(() => true);
    const flushed = Promise.all([io.stdout, io.stderr].map(allTaken)).then(() => false);
    if (await Promise.race([flushed, late])) io.exit(code);
    else this.#block(true);
  }

  readonly #drained = (): void => {
    const lines = this.#lost;
    this.#lost = 0;
    if (lines > 0) this.tellLost(lines);
  };

  #block(blocking: boolean): void {
    for (const stream of [this.io.stdout, this.io.stderr]) {
      if (stream.isTTY === true) (stream as Output & { readonly _handle?: Handle })._handle?.setBlocking?.(blocking);
    }
  }
}

function allTaken(stream: Output): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => stream.write("", () => resolve()));
}
