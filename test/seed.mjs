// The same inputs of property tests each time, so that no change fails for what it has not changed; HOOKLET_TEST_SEED=N for others, `random`
// for others each time. Runs before each test file.
import { readFileSync } from "node:fs";
import { expect } from "@jest/globals";

const { testPath } = expect.getState();
// Loading it takes longer than many a test.
if (testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"')) {
  const { default: fc } = await import("fast-check");
  const { HOOKLET_TEST_SEED: seed = "1" } = process.env;
  if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
