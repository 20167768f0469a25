import { isRuntimeError } from "@hooklet/core";
import type { RuntimeError, RuntimeErrorCode } from "@hooklet/core/host";
import { expect, runner } from "../runner.js";
import type { RuntimeHarness } from "./harness.js";
import { World } from "./runtime-world.js";

/** Real time that one check may take, milliseconds. */
const TIMEOUT = 180_000;

/** Registers one check of the suite: a test with its own world, which is always cleaned up. */
export type Check = (rule: string, run: (world: World) => Promise<void>) => void;

export function checker(harness: RuntimeHarness): Check {
  return (rule, run) => {
    runner.test(
      rule,
      async () => {
        const world = await World.make(harness);
        try {
          await run(world);
        } finally {
          await world.cleanUp();
        }
      },
      TIMEOUT,
    );
  };
}

/** As `checker`, but the check is skipped by name where `possible` is false. */
export function checkerIf(possible: boolean, harness: RuntimeHarness): Check {
  return possible ? checker(harness) : (rule) => runner.test.skip(rule, () => {});
}

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
