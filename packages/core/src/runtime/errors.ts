/** gRPC's words for what can go wrong in a runtime, so that every runtime can say them. */
export type RuntimeErrorCode =
  | "not-found"
  | "already-exists"
  | "invalid-argument"
  | "deadline-exceeded"
  | "unavailable"
  | "unimplemented"
  | "start-error"
  | "image-not-present"
  | "image-never-pull"
  | "invalid-image-name"
  | "failed-precondition"
  | "unknown";

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

export function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError {
  return error instanceof RuntimeError && (code === undefined || error.code === code);
}
