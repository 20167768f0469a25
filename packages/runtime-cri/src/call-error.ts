/** A gRPC call that failed. */
import { status } from "@grpc/grpc-js";

export const Code = status;

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
    const name = status[this.code] ?? `Code(${this.code})`;
    return name === "OK"
      ? name
      : name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  }
}
