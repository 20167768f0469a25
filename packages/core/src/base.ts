/**
 * What every room of hooklet stands on, and nothing that is slow to load: errors, time, the root directory. For the
 * packages of this repository; plugins get the same names from `@hooklet/core`.
 */
import "./lib/one-core.js";

export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { defaultRootDir } from "./config/root-dir.js";
export * from "./errors.js";
export { listenPrivately, occupantOf, type PrivateSocket, type SocketAccess } from "./host/unix-socket.js";
export { parseDuration } from "./lib/duration.js";
export { roomIn } from "./lib/room.js";
export { rfc3339 } from "./lib/time.js";
export { isRuntimeError, RuntimeError, type RuntimeErrorCode } from "./runtime/errors.js";
