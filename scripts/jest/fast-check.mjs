// "fast-check" as tests get it: the same inputs each time, so that no change fails for what it has not changed, and a fifth of them; all
// with HOOKLET_TEST_RUNS=1. HOOKLET_TEST_SEED=N for other inputs; `pnpm seeds` draws it.
import fc from "../../node_modules/fast-check/lib/fast-check.js";
import { testRuns, testSeed } from "../../test/test-seed.mjs";

const DEFAULT_RUNS = 100;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: testSeed(process.env.HOOKLET_TEST_SEED),
  numRuns: testRuns(DEFAULT_RUNS),
});

const scaled = ({ numRuns, ...rest } = {}) => ({
  ...rest,
  ...(numRuns === undefined ? {} : { numRuns: testRuns(numRuns) }),
});
export const assert = (property, parameters) => fc.assert(property, scaled(parameters));
export const check = (property, parameters) => fc.check(property, scaled(parameters));

export * from "../../node_modules/fast-check/lib/fast-check.js";
export default { ...fc, assert, check };
