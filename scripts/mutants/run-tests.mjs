// A process that runs tests for `scripts/mutants.mjs`, which starts it with an IPC channel: one file after the other, until one fails. Sources are loaded
// once, with a switch at each place that a mutant breaks, so that most mutants need no process of their own.
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
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

process.on("message", async ({ files, mutant, looks }) => {
  // Null: none, whatever the environment says.
  switches.activeMutant = mutant ?? null;
  // For the programs that tests start.
  if (mutant === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__;
  else process.env.__STRYKER_ACTIVE_MUTANT__ = mutant;
  if (looks) process.env.NODE_OPTIONS = `--import=${new URL("./tell-reached.mjs", import.meta.url)}`;
  stopsAtFailure = !looks;
  const failed = [];
  const took = [];
  const byPrograms = [];
  for (file of files) {
    if (looks) {
      process.env.HOOKLET_REACHED = mkdtempSync(path.join(tmpdir(), "reached-"));
      // Some programs run as other users.
      chmodSync(process.env.HOOKLET_REACHED, 0o777);
    }
    const start = performance.now();
    const { numFailingTests, testExecError } = await run({ path: file, testTimeout: limitOf(file) }).catch((error) => ({
      testExecError: error,
    }));
    took.push([file, performance.now() - start]);
    if (looks) byPrograms.push([file, idsIn(process.env.HOOKLET_REACHED)]);
    if (numFailingTests === 0 && testExecError === undefined) continue;
    failed.push(file);
    if (stopsAtFailure) break;
  }
  process.send({ failed, took, reached: reached(byPrograms) });
});

function idsIn(folder) {
  return readdirSync(folder).flatMap((name) => readFileSync(path.join(folder, name), "utf8").split(" "));
}

function limitOf(test) {
  return test.includes("/test/real/") ? REAL_LIMIT : LIMIT;
}

/** Which mutants each file came to, or a program it started, by their ids; `load`: those at which a source came by while it was loaded. */
function reached(byPrograms) {
  const { static: load = {}, perTest = {} } = switches.mutantCoverage ?? {};
  const files = Object.entries(perTest).map(([name, ids]) => [name, Object.keys(ids)]);
  return { load: Object.keys(load), files: [...files, ...byPrograms] };
}
