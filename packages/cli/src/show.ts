/** Things on standard output, in the format asked for: one way for every kind. */

import type { Context } from "./context.js";
import { type Io, printLine, printText, tell } from "./io.js";
import { GrowingTable, type Rows, rowsText } from "./print/columns.js";
import { escapeControls, oneLine } from "./print/escape.js";
import { fillTemplate } from "./print/jsonpath/evaluate.js";
import { listOf, toText } from "./print/object-text.js";
import { customCells, type OutputFormat } from "./print/output-format.js";

/** How things of one kind look. */
export interface Kind<T> {
  /** `pod/web`, as `-o name` says it. */
  name(item: T): string;
  object(item: T): object;
  rows(items: readonly T[], wide: boolean): Rows;
  /** What several of them are together; default: a v1 List. */
  list?(items: readonly T[]): unknown;
  /** In place of rows, where a thing is shown as a text of its own. */
  text?(items: readonly T[]): string;
}

interface Showing {
  readonly format: OutputFormat;
  readonly headers: boolean;
  /** Asked for by one name: an object and no list. */
  readonly single?: boolean;
  /** What is said of no things at all. */
  readonly nothing: string;
}

/** All of them, once. */
export async function showAll<T>({ io }: Context, kind: Kind<T>, items: readonly T[], how: Showing): Promise<void> {
  const { format, headers, single = false, nothing } = how;
  const [only] = items;
  const list = kind.list ?? ((some: readonly T[]) => listOf(some.map(kind.object)));
  const whole = (): unknown => (single && only !== undefined ? kind.object(only) : list(items));
  if (format.kind === "json" || format.kind === "yaml") return printLine(io.stdout, await toText(whole(), format.kind));
  if (format.kind === "jsonpath") return printText(io.stdout, escapeControls(fillTemplate(format.blocks, whole())));
  if (items.length === 0) return tell(io, nothing);
  if (format.kind === "name") return printLine(io.stdout, items.map((item) => oneLine(kind.name(item))).join("\n"));
  if (format.kind === "table" && kind.text !== undefined) return printLine(io.stdout, kind.text(items));
  await printLine(io.stdout, rowsText(rowsOf(kind, items, format), headers));
}

/** Rows of the formats that are tables. */
function rowsOf<T>(kind: Kind<T>, items: readonly T[], format: OutputFormat): Rows {
  if (format.kind !== "custom-columns") return kind.rows(items, format.kind === "table" && format.wide);
  return {
    head: format.columns.map(({ head }) => head),
    rows: items.map((item) => customCells(format.columns, kind.object(item))),
  };
}

/** One thing in a format that is no table, by itself. */
export async function showOne<T>(io: Io, kind: Kind<T>, item: T, format: OutputFormat): Promise<void> {
  if (format.kind === "json" || format.kind === "yaml") {
    const text = await toText(kind.object(item), format.kind);
    await printLine(io.stdout, format.kind === "yaml" ? `---\n${text}` : text);
  } else if (format.kind === "jsonpath")
    await printText(io.stdout, escapeControls(fillTemplate(format.blocks, kind.object(item))));
  else await printLine(io.stdout, oneLine(kind.name(item)));
}

/** `--watch`: a line for each change, under the table that was there before. */
interface Watching<T> {
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
