/** Pure. */
/** gRPC's words for what can go wrong in a runtime, so that every runtime can say them. */
declare const runtimeErrorCodes: readonly [
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
export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];
/** An error of a runtime call. The message is shown to people as it is. */
export declare class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  readonly name = "RuntimeError";
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions);
}
/** By its code, not its class: a runtime of somebody else may have loaded a copy of core of its own. */
export declare function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError;
