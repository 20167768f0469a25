/** Pure. */
/** gRPC's words for what can go wrong in a runtime, so that every runtime can say them. */
const runtimeErrorCodes = [
  "not-found",
  "already-exists",
  "invalid-argument",
  "deadline-exceeded",
  "unavailable",
  "unimplemented",
  "start-error",
  "image-not-present",
  "image-never-pull",
  "invalid-image-name",
  "failed-precondition",
  "unknown",
];
/** An error of a runtime call. The message is shown to people as it is. */
export class RuntimeError extends Error {
  code;
  name = "RuntimeError";
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}
/** By its code, not its class: a runtime of somebody else may have loaded a copy of core of its own. */
export function isRuntimeError(error, code) {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return code === undefined ? runtimeErrorCodes.includes(error.code) : error.code === code;
}
