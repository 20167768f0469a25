/** RFC 3339 in UTC, whole seconds, as in metav1.Time. `milliseconds` since the epoch. Pure. */
export declare function rfc3339(milliseconds: number): string;
/** Nanoseconds since the epoch, as CRI has them, to milliseconds. */
export declare function millisecondsOf(nanoseconds: bigint): number;
