import { isRuntimeError } from "@hooklet/core";
import type { RuntimeError, RuntimeErrorCode } from "@hooklet/core/host";
import { expect } from "../runner.js";
import type { World } from "./world.js";

/** The call must reject with a `RuntimeError`, of this code when one is given, and say something. */
export async function refused(world: World, call: Promise<unknown>, code?: RuntimeErrorCode): Promise<RuntimeError> {
  const error: unknown = await world.settled(
    call.then(
      (value) => new Error(`expected a refusal, but the call returned ${String(value)}`),
      (reason: unknown) => reason,
    ),
  );
  if (!isRuntimeError(error)) throw error;
  if (code !== undefined) expect(error.code).toBe(code);
  expect(error.message).not.toBe("");
  return error;
}

export function notFound(world: World, call: Promise<unknown>): Promise<RuntimeError> {
  return refused(world, call, "not-found");
}
