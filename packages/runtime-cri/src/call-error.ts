/** A gRPC call that failed. */

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
