/**
 * The one runtime port: the subset of CRI v1 that the core uses. Field names are CRI's in camelCase; times are
 * nanoseconds since the epoch as bigint, as in CRI; ids are opaque strings. Three implementations (process, cri,
 * simulated) pass the same suite, testkit's `describeRuntime`. Pure.
 */
export * from "./objects.js";
/** Bytes of each output of a command that `execSync` keeps: what the kubelet takes of a probe's. */
export const EXEC_SYNC_BYTES = 10 * 1024;
