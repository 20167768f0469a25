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
  "resource-exhausted",
  "unknown",
] as const;

export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];

/** An error of a runtime call. The message is shown to people as it is. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";

  constructor(
    readonly code: RuntimeErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** By its code, not its class: a runtime of somebody else may have loaded a copy of core of its own. */
export function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return code === undefined ? (runtimeErrorCodes as readonly unknown[]).includes(error.code) : error.code === code;
}
