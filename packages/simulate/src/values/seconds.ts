/** Durations in scenarios: Go's, with days. Pure. */

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1, ms: 1e-3 };
const DURATION = /^(\d+(\.\d+)?(d|h|ms|m|s))+$/;
const PART = /(\d+(?:\.\d+)?)(d|h|ms|m|s)/g;

/** Seconds of `1h30m`, `7d`, `250ms`, `0`; undefined when it is none. */
export function parseSeconds(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 64 || !DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit = ""] of text.matchAll(PART)) seconds += Number(count) * (UNITS[unit] ?? 0);
  return seconds;
}
