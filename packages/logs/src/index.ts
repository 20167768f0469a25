export { criParser } from "./cri-parser.js";
export { attemptsByLogs, removeLog, removeLogsBefore } from "./log-attempts.js";
export { assertLogThere, assertTimes } from "./log-checks.js";
export type { LogFile, LogOptions } from "./log-lines.js";
export { type LogPosition, readLog } from "./read-log.js";
export { rotateLog } from "./rotate.js";
