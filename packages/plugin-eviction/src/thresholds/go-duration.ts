/**
 * Durations as Go reads them (time.ParseDuration), with Go's words for what is none: signs, fractions without a digit before the dot and
 * the error of each part are the kubelet's, where core's own `duration` refuses in the words of the rc file. Pure.
 */

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
/** A number with its unit; a unit is anything up to the next digit or dot, as in Go. */
const PART = /(\d*)(\.?)(\d*)([^.\d]*)/y;
/** Longer texts are refused unread: no duration needs them. */
const MAX_LENGTH = 256;
/** 2^63 nanoseconds, about 292 years. */
const MAX_SECONDS = 2 ** 63 / 1e9;

/** Seconds of `30s`, `1m30s`, `-2m`, `0`. @throws Error with Go's text */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const invalid = (): Error => new Error(`time: invalid duration ${quoted}`);
  if (text.length > MAX_LENGTH) throw invalid();
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const rest = text.slice(sign.length);
  if (rest === "0") return 0;
  if (rest === "") throw invalid();
  let seconds = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const [, whole = "", , fraction = "", unit = ""] = PART.exec(rest) ?? [];
    if (whole === "" && fraction === "") throw invalid();
    if (unit === "") throw new Error(`time: missing unit in duration ${quoted}`);
    const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (factor === undefined) throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    seconds += Number(`${whole || "0"}.${fraction || "0"}`) * factor;
    if (seconds > MAX_SECONDS) throw invalid();
  }
  return sign === "-" && seconds !== 0 ? -seconds : seconds;
}
