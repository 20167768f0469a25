/** `--watch`: a line for each change, under the table that was there before. */
import type { Context } from "./context.js";
import { printLine } from "./io.js";
import { GrowingTable } from "./print/columns.js";
import type { OutputFormat } from "./print/output-format.js";
import { type Kind, rowsOf, showOne } from "./show.js";

export interface Watching<T> {
  readonly kind: Kind<T>;
  readonly format: OutputFormat;
  readonly headers: boolean;
}

/** Shows things one after another; those that come together first stand under each other. */
export class WatchPrinter<T> {
  readonly #table = new GrowingTable();
  #headed = false;

  constructor(
    private readonly context: Context,
    private readonly watching: Watching<T>,
  ) {}

  async print(items: readonly T[]): Promise<void> {
    const { kind, format, headers } = this.watching;
    const { io } = this.context;
    if (format.kind !== "table" && format.kind !== "custom-columns") {
      for (const item of items) await showOne(io, kind, item, format);
      return;
    }
    const { head, rows } = rowsOf(kind, items, format);
    const heads = this.#headed || !headers || items.length === 0 ? [] : [head];
    if (heads.length > 0) this.#headed = true;
    this.#table.fit([...heads, ...rows]);
    for (const cells of [...heads, ...rows]) await printLine(io.stdout, this.#table.line(cells));
  }
}
