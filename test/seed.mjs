// The same inputs of property tests each time, so that no change fails for what it has not changed; HOOKLET_TEST_SEED=N for others, `random`
// (`pnpm seeds`) for others each time. Runs before each test file.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "@jest/globals";
import { testSeed } from "./test-seed.mjs";

const { testPath } = expect.getState();
// Loading it takes longer than many a test.
if (testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"')) {
  const { default: fc } = await import("fast-check");
  const seed = testSeed(process.env.HOOKLET_TEST_SEED, (text) =>
    process.stderr.write(`${text} ${path.relative(process.cwd(), testPath)}\n`),
  );
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
