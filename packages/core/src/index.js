/**
 * The first door: what a plugin author needs; read plugin/contract.ts first. The kubelet's rules as pure functions are behind
 * `@hooklet/core/rules`; what runtimes, sources and tools stand on behind `@hooklet/core/host`.
 */
import "./lib/one-core.js";

// Pods, containers, images.
export { isRecord, isSidecar, namespacedName } from "@hooklet/manifest";
// Time and errors.
export { sleep, withDeadline } from "./clock.js";
// Options and configuration.
export { defineConfig } from "./config/schema.js";
export { duration } from "./config/values.js";
export { ClaimConflictError, errorText, invalid, isNodeAgentError, NodeAgentError } from "./errors.js";
export { formatDuration } from "./lib/duration.js";
export { errno, whenGone } from "./lib/errno.js";
export { containerSubject, podSubject } from "./lib/subject.js";
export { millisecondsOf, rfc3339 } from "./lib/time.js";
export { strategyName } from "./load/strategy.js";
// A plugin, and all that it is given.
export * from "./plugin/contract.js";
export { isRuntimeError } from "./runtime/errors.js";
export { Labels } from "./runtime/port.js";
