/**
 * What every room of hooklet stands on, and nothing that is slow to load: errors, time, the root directory, private sockets, whether a pod is ready.
 * Internal: for the packages, tests and benches of this repository, and free to change with any version. What plugins may use of
 * it they get from `@hooklet/core`.
 */
import "./one-core.js";

export type { ApplyResult, NodeReport, PluginReport, PodName } from "./agent/api.js";
export { type AgentCalls, type Call, type CallName, calls } from "./agent/calls.js";
export { defaultRootDir, USUAL_ROOT_DIR } from "./config/root-dir.js";
export { podReady } from "./pod/status/pod-ready.js";
export { isRuntimeError } from "./runtime/errors.js";
