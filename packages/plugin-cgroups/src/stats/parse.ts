/** Files of statistics as numbers. Pure, and quick: hundreds are read in one pass. */

/** The number that follows `key` at the beginning of a line; undefined when no line has it. */
export function numberAfter(text: string, key: string): number | undefined {
  const begin = startOf(text, `${key} `);
  if (begin === -1) return undefined;
  const end = text.indexOf("\n", begin);
  const number = Number(text.slice(begin, end === -1 ? undefined : end));
  return Number.isFinite(number) ? number : undefined;
}

function startOf(text: string, key: string): number {
  if (text.startsWith(key)) return key.length;
  const at = text.indexOf(`\n${key}`);
  return at === -1 ? -1 : at + 1 + key.length;
}

/** Pressure stall information: shares of time in percent, `total` in microseconds. */
export interface Pressure {
  readonly some: PressureLine;
  /** Absent for cpu on older kernels. */
  readonly full?: PressureLine;
}

export interface PressureLine {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly total: number;
}

const LINE = /^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d+)$/;

/** Undefined when there is none: an older kernel, or PSI is switched off. */
export function parsePressure(text: string): Pressure | undefined {
  const lines = new Map<string, PressureLine>();
  for (const line of text.split("\n")) {
    const [, kind, avg10, avg60, avg300, total] = LINE.exec(line) ?? [];
    if (kind === undefined) continue;
    lines.set(kind, { avg10: Number(avg10), avg60: Number(avg60), avg300: Number(avg300), total: Number(total) });
  }
  const [some, full] = [lines.get("some"), lines.get("full")];
  return some && { some, ...(full && { full }) };
}
