export { type BackOff, backOffRule, backOffUntil, nextBackOff } from "./backoff.js";
export { type Clock, pause, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { formatCpuList, parseCpuList } from "./cpu-list.js";
export { untilDrained } from "./drained.js";
export { formatDuration, parseDuration } from "./duration.js";
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
export { inTurns } from "./in-turns.js";
export type { Json } from "./json.js";
export { Listeners } from "./listeners.js";
export { Once } from "./once.js";
export { ownSignal } from "./own-signal.js";
export { processWide } from "./process-wide.js";
export { type Rank, RankedSlots } from "./ranked-slots.js";
export { withoutPasswords } from "./redact.js";
export { Semaphore } from "./semaphore.js";
export { setAt } from "./set-at.js";
export { thrownText } from "./thrown-text.js";
export { boundedSeconds, millisecondsOf, rfc3339 } from "./time.js";
export { TokenBucket } from "./token-bucket.js";
export { unlessAborted } from "./unless-aborted.js";
