/** Writes whole lines, whatever pieces they come in. */
import { type Output, write } from "../../io.js";

const NEWLINE = 0x0a;
/** A line without an end is handed on at this length. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class LineWriter {
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly output: Output,
    private readonly prefix: string,
  ) {}

  async take(data: Buffer): Promise<void> {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const end = all.length > MAX_WAITING_BYTES ? all.length : all.lastIndexOf(NEWLINE) + 1;
    this.#rest = Buffer.from(all.subarray(end));
    if (end > 0) await write(this.output, this.#prefixed(all.subarray(0, end)));
  }

  /** What came without a newline at its end gets one. */
  async end(): Promise<void> {
    if (this.#rest.length > 0) await write(this.output, this.#prefixed(Buffer.concat([this.#rest, Buffer.from("\n")])));
    this.#rest = Buffer.alloc(0);
  }

  #prefixed(lines: Buffer): Buffer | string {
    if (this.prefix === "") return lines;
    return lines.toString("utf8").replace(/^(?=.|\n)/gm, (_, at: number) => (at < lines.length ? this.prefix : ""));
  }
}
