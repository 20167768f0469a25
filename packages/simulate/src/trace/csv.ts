/** Comma-separated values (RFC 4180), as traces are written. Pure. */

/** Rows of cells; empty lines are left out. A cell in quotes may hold commas, doubled quotes and line ends. */
export function* parseCsv(text: string): Generator<readonly string[]> {
  let row: string[] = [];
  let at = 0;
  const end = (): readonly string[] => {
    const done = row;
    row = [];
    return done;
  };
  while (at < text.length) {
    let cell: string;
    [cell, at] = text[at] === '"' ? quoted(text, at) : plain(text, at);
    row.push(cell);
    const next = text[at];
    if (next === ",") {
      at += 1;
      if (at === text.length) row.push("");
      continue;
    }
    at += next === "\r" && text[at + 1] === "\n" ? 2 : 1;
    const whole = end();
    if (whole.length > 1 || whole[0] !== "") yield whole;
  }
  if (row.length > 0) yield end();
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
    if (text[close + 1] !== '"') return [cell, close + 1];
    cell += '"';
    at = close + 2;
  }
}
