/** The other end of `HelperPool`: a process that does what it is asked, one call after the other, and ends with its parent. */
import { errorText } from "../errors.js";
import { errno } from "../lib/errno.js";

export interface HelperCall {
  readonly operation: string;
  readonly input: unknown;
}

/** The first that a helper says, once it can be asked. */
export const READY = "ready";

export type HelperAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly code?: string } };

/** Operations take and return what JSON can hold. */
export type HelperOperations = Readonly<Record<string, (input: never) => unknown>>;

export function serveHelper(operations: HelperOperations): void {
  process.on("message", (call: HelperCall) => {
    void answer(operations, call).then((reply) => process.send?.(reply));
  });
  process.on("disconnect", () => process.exit());
  process.send?.(READY);
}

async function answer(operations: HelperOperations, { operation, input }: HelperCall): Promise<HelperAnswer> {
  try {
    const work = operations[operation] as ((input: unknown) => unknown) | undefined;
    if (work === undefined) throw new Error(`helper process: no operation ${operation}`);
    return { value: (await work(input)) ?? null };
  } catch (error) {
    const code = errno(error);
    const name = error instanceof Error ? error.name : "Error";
    return { error: { name, message: errorText(error), ...(code !== undefined && { code }) } };
  }
}
