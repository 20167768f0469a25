// A process that runs tests for `scripts/mutants.mjs`, which starts it with an IPC channel: one file after the other, until one fails. Sources are loaded
// once, with a switch at each place that a mutant breaks, so that most mutants need no process of their own.
import { addEventHandler } from "jest-circus";
import { run } from "../jest/worker.mjs";

/** Milliseconds, as in jest.config.js. */
const LIMIT = 20_000;
const REAL_LIMIT = 180_000;
globalThis.__stryker__ ??= {};
const switches = globalThis.__stryker__;

/** No test has this name. */
const NONE = /(?!)/;

let file;
let stopsAtFailure = false;
addEventHandler(({ name, test }, state) => {
  // What runs before is no test's: it is loaded for all of them.
  if (name === "run_start") switches.currentTestId = file;
  if (name === "run_finish") switches.currentTestId = undefined;
  if (name !== "test_done") return;
  process.send({ isAlive: true });
  // One failure tells all: the file's other tests may wait for the same in vain.
  if (stopsAtFailure && test.errors.length > 0) state.testNamePattern = NONE;
});

process.on("message", async ({ files, mutant, untilFailure }) => {
  // Null: none, whatever the environment says.
  switches.activeMutant = mutant ?? null;
  stopsAtFailure = untilFailure;
  const failed = [];
  for (file of files) {
    const { numFailingTests, testExecError } = await run({ path: file, testTimeout: limitOf(file) }).catch((error) => ({
      testExecError: error,
    }));
    if (numFailingTests === 0 && testExecError === undefined) continue;
    failed.push(file);
    if (untilFailure) break;
  }
  process.send({ failed, reached: reached() });
});

function limitOf(test) {
  return test.includes("/test/real/") ? REAL_LIMIT : LIMIT;
}

/** Which mutants each file came to, by their ids; `load`: those at which a source came by while it was loaded. */
function reached() {
  const { static: load = {}, perTest = {} } = switches.mutantCoverage ?? {};
  const files = Object.entries(perTest).map(([name, ids]) => [name, Object.keys(ids)]);
  return { load: Object.keys(load), files };
}
