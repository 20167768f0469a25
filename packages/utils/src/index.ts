export { type BackOff, backOffRule, backOffUntil, nextBackOff } from "./backoff.js";
export { type Clock, pause, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { formatCpuList, parseCpuList } from "./cpu-list.js";
export { errno, unless, whenGone } from "./errno.js";
export {
  afterStart,
  agentNotRunning,
  agentStopping,
  applyRefused,
  boundedText,
  ClaimConflictError,
  cannotListen,
  deletionRefused,
  errorText,
  evictionRefused,
  foundText,
  hostUnavailable,
  invalid,
  isNodeAgentError,
  killTimeout,
  NodeAgentError,
  type NodeAgentErrorCode,
  notFound,
  notRunning,
  pluginStart,
  pluginStop,
  pluginTimeout,
  providerOutput,
  severalCores,
  type TapPlace,
  tapFailed,
  tapOutput,
  tapTimeout,
  tookTooLong,
  unsupported,
} from "./errors.js";
export { deepFreeze } from "./freeze.js";
export { Heap, type HeapEntry } from "./heap.js";
export { type IdSource, randomIds } from "./ids.js";
export type { Json } from "./json.js";
export { Listeners } from "./listeners.js";
export { Once } from "./once.js";
export { ownSignal } from "./own-signal.js";
export { processWide } from "./process-wide.js";
export { inTurns, Semaphore, Turns, unlessAborted, untilDrained } from "./promises.js";
export { type Rank, RankedSlots } from "./ranked-slots.js";
export { setAt } from "./set-at.js";
export { thrownText, withoutPasswords } from "./thrown-text.js";
export { boundedSeconds, formatDuration, millisecondsOf, parseDuration, rfc3339 } from "./time.js";
export { TokenBucket } from "./token-bucket.js";
