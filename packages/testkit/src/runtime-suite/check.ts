import { runner } from "../runner.js";
import type { RuntimeHarness } from "./harness.js";
import { World } from "./world.js";

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
