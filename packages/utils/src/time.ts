/** Times as Kubernetes and CRI write them. Pure. */

/** The years that RFC 3339 and Go's metav1.Time can tell. */
const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59Z");

/**
 * RFC 3339 in UTC, whole seconds, as in metav1.Time. `milliseconds` since the epoch; a time beyond the calendar becomes its first or
 * last second, and NaN the epoch. Never throws. Pure.
 */
export function rfc3339(milliseconds: number): string {
  const bounded = Number.isNaN(milliseconds) ? 0 : Math.min(LATEST, Math.max(EARLIEST, milliseconds));
  return `${new Date(bounded).toISOString().slice(0, 19)}Z`;
}

/** Nanoseconds since the epoch, as CRI has them, to milliseconds. */
export function millisecondsOf(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}

/** 68 years: the longest time of a pod in seconds. */
const MAX_SECONDS = 2 ** 31 - 1;

/**
 * Seconds of a manifest or of a runtime's annotation, limited to 0 to `MAX_SECONDS`. Kubernetes takes any int64 there, so
 * a larger value is valid and only cut.
 */
export function boundedSeconds(seconds: number): number {
  return seconds > 0 ? Math.min(MAX_SECONDS, seconds) : 0;
}

// Durations as Go and so Kubernetes read and write them.

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};
const DURATION = /^(\d+(\.\d+)?(h|ms|us|µs|ns|m|s))+$/;
const PART = /(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)/g;

/** Seconds of a duration as Kubernetes writes it (`20s`, `1m0s`, `1h30m`); undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 64 || !DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ""] of text.matchAll(PART)) seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  return seconds;
}

/** Seconds as Go and so Kubernetes write them: `20s`, `1m0s`, `250ms`, `0s`. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return belowSecond(seconds);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

function belowSecond(seconds: number): string {
  const unit = seconds >= 1e-3 ? "ms" : seconds >= 1e-6 ? "µs" : "ns";
  return `${Number((seconds / (UNIT_SECONDS[unit] ?? 1)).toFixed(6))}${unit}`;
}
