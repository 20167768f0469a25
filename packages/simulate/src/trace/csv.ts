/** Comma-separated values (RFC 4180), as traces are written. Pure. */

export interface CsvRow {
  /** Where it begins in the text, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of cells; empty lines are left out. A cell in quotes may hold commas, doubled quotes and line ends. */
export function* parseCsv(text: string): Generator<CsvRow> {
  let cells: string[] = [];
  let at = 0;
  let line = 1;
  let start = 0;
  const end = (): CsvRow => {
    const done = { line, cells };
    line += linesIn(text.slice(start, at));
    start = at;
    cells = [];
    return done;
  };
  while (at < text.length) {
    let cell: string;
    [cell, at] = text[at] === '"' ? quoted(text, at) : plain(text, at);
    cells.push(cell);
    const next = text[at];
    if (next === ",") {
      at += 1;
      if (at === text.length) cells.push("");
      continue;
    }
    at += next === "\r" && text[at + 1] === "\n" ? 2 : 1;
    const whole = end();
    if (whole.cells.length > 1 || whole.cells[0] !== "") yield whole;
  }
  if (cells.length > 0) yield end();
}

function linesIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function plain(text: string, from: number): [string, number] {
  let to = from;
  while (to < text.length && text[to] !== "," && text[to] !== "\n" && text[to] !== "\r") to += 1;
  return [text.slice(from, to).trim(), to];
}

function quoted(text: string, from: number): [string, number] {
  let cell = "";
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close === -1) return [cell + text.slice(at), text.length];
    cell += text.slice(at, close);
    if (text[close + 1] !== '"') {
      const [rest, to] = plain(text, close + 1);
      return [cell + rest, to];
    }
    cell += '"';
    at = close + 2;
  }
}
