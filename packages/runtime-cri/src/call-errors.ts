/** From gRPC's codes, and containerd's texts where it has no code, to the port's errors. */

import { RuntimeError, type RuntimeErrorCode } from "@hooklet/core/host";

// A gRPC call that failed.

/** gRPC's codes, by their names in the protocol. */
const NAMES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export const Code = Object.fromEntries(NAMES.map((name, code) => [name, code])) as Readonly<
  Record<(typeof NAMES)[number], number>
>;

/** gRPC's code and text of a failed call. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(
    readonly rpc: string,
    readonly code: number,
    readonly details: string,
  ) {
    super(details);
  }

  /** The code's name as Go prints it: `NotFound`. */
  get codeName(): string {
    const name = NAMES[this.code] ?? `Code(${this.code})`;
    return name === "OK"
      ? name
      : name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  }
}

const CODES: Readonly<Record<number, RuntimeErrorCode>> = {
  [Code.NOT_FOUND]: "not-found",
  [Code.ALREADY_EXISTS]: "already-exists",
  [Code.INVALID_ARGUMENT]: "invalid-argument",
  [Code.DEADLINE_EXCEEDED]: "deadline-exceeded",
  [Code.UNAVAILABLE]: "unavailable",
  [Code.UNIMPLEMENTED]: "unimplemented",
  [Code.FAILED_PRECONDITION]: "failed-precondition",
  [Code.RESOURCE_EXHAUSTED]: "resource-exhausted",
};

/** containerd says code Unknown and a text. */
const TEXTS: readonly (readonly [RegExp, RuntimeErrorCode])[] = [
  [/name ".*" is reserved for/, "already-exists"],
  [/server is not initialized yet|error reading from server: EOF|transport is closing/, "unavailable"],
];

export function codeOf(error: CallError): RuntimeErrorCode {
  const known = CODES[error.code];
  if (known !== undefined) return known;
  return TEXTS.find(([text]) => text.test(error.details))?.[1] ?? "unknown";
}

/** The runtime's message, as the kubelet shows it for containers. */
export function plain(error: unknown): unknown {
  return error instanceof CallError ? new RuntimeError(codeOf(error), error.details, { cause: error }) : error;
}

/** With gRPC's code before it, as the kubelet shows failures of sandboxes and pulls. */
export function withCode(error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  const text = `rpc error: code = ${error.codeName} desc = ${error.details}`;
  return new RuntimeError(codeOf(error), text, { cause: error });
}

export function rethrow(error: unknown): never {
  throw plain(error);
}

/** Stop and remove may be repeated. */
export function fineWhenGone(error: unknown): void {
  if (error instanceof CallError && codeOf(error) === "not-found") return;
  throw plain(error);
}
