/** Pure. */

/** gRPC's status codes, so that every runtime can use them. */
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

/** An error of a runtime call. Its message is shown unchanged. */
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

/** Checks the code, not the class: a foreign runtime may have loaded its own copy of core. */
export function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return code === undefined ? (runtimeErrorCodes as readonly unknown[]).includes(error.code) : error.code === code;
}
