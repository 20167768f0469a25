/**
 * What a client of an agent needs and what is quick to load: the table of calls, the root directory, whether a pod is ready.
 * Internal: for the packages, tests and benches of this repository. It may change with any version.
 */
import "./one-core.js";

export { isRuntimeError } from "@hooklet/cri-api/errors";
export type { ApplyResult, NodeReport, PluginReport, PodName } from "./agent/api.js";
export { type AgentCalls, type Call, type CallName, calls } from "./agent/calls.js";
export { podsMeant } from "./agent/pods-meant.js";
export { defaultRootDir, USUAL_ROOT_DIR } from "./config/root-dir.js";
export { podReady } from "./pod/status/pod-ready.js";
