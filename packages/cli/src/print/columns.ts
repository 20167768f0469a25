/**
 * Elastic columns: cells that end with a tab are padded so that those of neighbouring lines stand under each other. A column ends
 * at the first line that lacks it. The behaviour of Go's text/tabwriter, which is what gives kubectl's output its look. Pure.
 */
import { escapeControls } from "./escape.js";

/** @param padding blanks behind the widest cell; @param minimum smallest width of a column with its padding */
export function elasticColumns(text: string, padding = 2, minimum = 0): string {
  const lines = text.split("\n").map((line) => line.split("\t"));
  const widths = lines.map((cells) => new Array<number>(Math.max(0, cells.length - 1)).fill(0));
  setWidths(lines, widths, 0, lines.length, 0, padding, minimum);
  return lines
    .map((cells, row) =>
      cells
        .map((cell, column) => cell.padEnd(widths[row]?.[column] ?? 0))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

/** Sets one column's width in each block of neighbouring lines that have it, then goes on to the next column within that block. */
function setWidths(
  lines: readonly (readonly string[])[],
  widths: number[][],
  from: number,
  to: number,
  column: number,
  padding: number,
  minimum: number,
): void {
  const has = (row: number): boolean => (lines[row]?.length ?? 0) - 1 > column;
  for (let row = from; row < to; row += 1) {
    if (!has(row)) continue;
    let end = row;
    let width = minimum;
    for (; end < to && has(end); end += 1) {
      width = Math.max(width, (lines[end]?.[column]?.length ?? 0) + padding);
    }
    for (let line = row; line < end; line += 1) {
      const own = widths[line];
      if (own !== undefined) own[column] = width;
    }
    setWidths(lines, widths, row, end, column + 1, padding, minimum);
    row = end - 1;
  }
}

/** Cells under their headings. */
export interface Rows {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table as kubectl prints it: three blanks between columns. Newlines and tabs of cells become blanks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return elasticColumns([head, ...rows].map(lineOf).join("\n"), PADDING, MINIMUM);
}

/** The same, with or without its headings. */
export function rowsText({ head, rows }: Rows, headers = true): string {
  return headers ? table(head, rows) : elasticColumns(rows.map(lineOf).join("\n"), PADDING, MINIMUM);
}

/** Lines that come one after another and stand under each other all the same: a column only ever grows. */
export class GrowingTable {
  #widths: number[] = [];

  line(cells: readonly string[]): string {
    const shown = cells.map(cellText);
    this.#widths = shown.map((cell, at) => Math.max(MINIMUM, this.#widths[at] ?? 0, cell.length + PADDING));
    return shown
      .map((cell, at) => cell.padEnd(this.#widths[at] ?? 0))
      .join("")
      .trimEnd();
  }

  /** Widens columns for lines that come together. */
  fit(lines: readonly (readonly string[])[]): void {
    for (const cells of lines) this.line(cells);
  }
}

const PADDING = 3;
const MINIMUM = 6;

function cellText(cell: string): string {
  return escapeControls(cell.replace(/[\t\r\n]+/g, " "));
}

function lineOf(cells: readonly string[]): string {
  return cells.map(cellText).join("\t");
}
