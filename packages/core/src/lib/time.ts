/** RFC 3339 in UTC, whole seconds, as in metav1.Time. `milliseconds` since the epoch. Pure. */
export function rfc3339(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Nanoseconds since the epoch, as CRI has them, to milliseconds. */
export function millisecondsOf(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}
