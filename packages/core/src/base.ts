/**
 * What every room of hooklet stands on, and nothing that is slow to load: errors, time, the root directory, private sockets, whether a pod is ready.
 * Internal: for the packages, tests and benches of this repository, and free to change with any version. What plugins may use of
 * it they get from `@hooklet/core`.
 */
import "./lib/one-core.js";

export type { ApplyResult, NodeReport, PluginReport, PodName } from "./agent/api.js";
export { type AgentCalls, type Call, type CallName, calls } from "./agent/calls.js";
export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { defaultRootDir, USUAL_ROOT_DIR } from "./config/root-dir.js";
export * from "./errors.js";
export {
  listenPrivately,
  occupantOf,
  type PrivateSocket,
  type SocketAccess,
  socketIdentity,
} from "./host/unix-socket.js";
export { parseDuration } from "./lib/duration.js";
export { Heap, type HeapEntry } from "./lib/heap.js";
export { Once } from "./lib/once.js";
export { roomIn } from "./lib/room.js";
export { setAt } from "./lib/set-at.js";
export { rfc3339 } from "./lib/time.js";
export { type Rate, TokenBucket } from "./lib/token-bucket.js";
export { podReady } from "./pod/status/pod-ready.js";
export { isRuntimeError } from "./runtime/errors.js";
