/** Durations as Go and so Kubernetes read and write them. Pure. */
/** Seconds of a duration as Kubernetes writes it (`20s`, `1m0s`, `1h30m`); undefined when it is none. */
export declare function parseDuration(text: string): number | undefined;
/** Seconds as Go and so Kubernetes write them: `20s`, `1m0s`, `250ms`, `0s`. */
export declare function formatDuration(seconds: number): string;
