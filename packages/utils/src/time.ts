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
export const MAX_SECONDS = 2 ** 31 - 1;

/**
 * Seconds of a manifest or of a runtime's annotation, limited to 0 to `MAX_SECONDS`. Kubernetes takes any int64 there, so
 * a larger value is valid and only cut.
 */
export function boundedSeconds(seconds: number): number {
  return seconds > 0 ? Math.min(MAX_SECONDS, seconds) : 0;
}
