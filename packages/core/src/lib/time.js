/** RFC 3339 in UTC, whole seconds, as in metav1.Time. `milliseconds` since the epoch. Pure. */
export function rfc3339(milliseconds) {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
/** Nanoseconds since the epoch, as CRI has them, to milliseconds. */
export function millisecondsOf(nanoseconds) {
  return Number(nanoseconds / 1000000n);
}
