/** The process behind `HelperPool` and `SharedHelper`: it runs operations on request, and ends with its parent. */

import { errno, errorText, systemClock } from "@hooklet/utils";

export interface HelperCall {
  /** The answer has it too; for callers that ask for several things at once. */
  readonly id?: number;
  readonly operation: string;
  readonly input: unknown;
}

/** The first message of a helper, once it accepts calls. */
export const READY = "ready";

/** Sent now and then by long work that progresses: the deadline starts again. */
export const PROGRESS = "progress";
/** Milliseconds between two of them. */
const PROGRESS_EVERY = 1000;

export type HelperAnswer = { readonly id?: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly code?: string } }
);

/** Operations take and return what `structuredClone` can copy. One that takes long calls `progress` at each step. */
type HelperOperations = Readonly<Record<string, (input: never, progress: () => void) => unknown>>;

export function serveHelper(operations: HelperOperations): void {
  process.on("message", (call: HelperCall) => {
    const { id } = call;
    void answer(operations, call).then((reply) => process.send?.(id === undefined ? reply : { ...reply, id }));
  });
  process.on("disconnect", () => process.exit());
  process.send?.(READY);
}

async function answer(operations: HelperOperations, { operation, input }: HelperCall): Promise<HelperAnswer> {
  try {
    const work = operations[operation] as ((input: unknown, progress: () => void) => unknown) | undefined;
    if (work === undefined) throw new Error(`helper process: no operation ${operation}`);
    return { value: (await work(input, progressTeller())) ?? null };
  } catch (error) {
    const code = errno(error);
    const name = error instanceof Error ? error.name : "Error";
    return { error: { name, message: errorText(error), ...(code !== undefined && { code }) } };
  }
}

function progressTeller(): () => void {
  let reportedAt = systemClock.monotonic();
  return () => {
    const now = systemClock.monotonic();
    if (now - reportedAt < PROGRESS_EVERY) return;
    reportedAt = now;
    process.send?.(PROGRESS);
  };
}

/** An error of a helper: name and code are those of the error that was thrown there. */
export class HelperError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}
