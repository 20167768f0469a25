// Runs unit tests in this process, one file after the other, until one fails: `scripts/mutants.mjs` starts it for each mutant, and jest itself would take longer
// to start than most of the tests take. Prints a line for each test that has ended, each file that passed, and the one that failed.
import { addEventHandler } from "jest-circus";
import { run } from "../jest/worker.mjs";

/** Milliseconds, as in jest.config.js. */
const LIMIT = 20_000;

addEventHandler(({ name }) => {
  if (name === "test_done") console.log("test");
});
for (const path of process.argv.slice(2)) {
  const { numFailingTests, testExecError } = await run({ path, testTimeout: LIMIT }).catch((error) => ({
    testExecError: error,
  }));
  const failed = numFailingTests > 0 || testExecError !== undefined;
  console.log(`${failed ? "failed" : "passed"} ${path}`);
  if (failed) process.exit(1);
}
process.exit(0);
