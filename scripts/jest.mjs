// Runs jest on native ES modules and ends with the true totals: `N passed, N failed, N skipped`.
//   node scripts/jest.mjs [ARGUMENTS OF JEST]     without any: all tests, in two parts side by side
// All that the tests make lies in a folder of the run's own, and goes with it, also when the run is interrupted.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { availableParallelism, constants, tmpdir } from "node:os";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { takeAway } from "./jest/leftovers.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

/**
 * Real processes, containers and times: one file after the other, or they would only make each other late. They wait more than they
 * compute. Scenarios have virtual time; what installs packages or runs the documents' commands has time.
 */
const REAL = "/(test/e2e/(?!scenarios|damaged-scenarios|plan-scenario|report|pack|docs)|packages/runtime-[a-z]+/test/)";
/** What has time gets what the stories leave of all cores, and gives way: a fourth of a core is left to it where both want it. */
const BESIDE = Math.min(availableParallelism(), 4);
const GIVES_WAY = 5;
/** Letters of a TMPDIR below which the tests' sockets have room. */
const LONGEST_BASE = 24;
const given = process.argv.slice(2);
const parts =
  given.length > 0
    ? [{ args: given }]
    : [
        { about: "Part 1 of 2: real processes and times", args: [`--testPathPatterns=${REAL}`, "--maxWorkers=1"] },
        {
          about: "Part 2 of 2, beside it: all others",
          nice: GIVES_WAY,
          args: [
            `--testPathIgnorePatterns=/node_modules/|${REAL}`,
            `--maxWorkers=${BESIDE}`,
            "--workerIdleMemoryLimit=1GB",
          ],
        },
      ];

// Without links: what the tests find in /proc has none. Short: paths of sockets end at 107 letters.
const base = tmpdir().length > LONGEST_BASE ? "/tmp" : tmpdir();
const folder = realpathSync(mkdtempSync(path.join(base, "hooklet-")));
// Some tests act as other users.
chmodSync(folder, 0o755);
// Where jest has it by itself: it outlives the run. The second part has its own: each writes the times of its files over the other's.
const cache = path.join(tmpdir(), `jest_${(process.getuid?.() ?? 0).toString(36)}`);

/** Seconds for taking away what is left, and from when on one more signal ends it: a Ctrl-C arrives twice by itself. */
const TAKING_AWAY = 300;
const ONCE_MORE = 3;

const running = new Set();
let interrupted;
let since = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (interrupted !== undefined) {
      if (performance.now() - since < ONCE_MORE * 1_000) return;
      console.error(`${signal} once more: what the tests have left lies in ${folder}`);
      process.exit(128 + constants.signals[signal]);
    }
    interrupted = signal;
    since = performance.now();
    console.error(`\n${signal}: the tests are interrupted; taking away what they started`);
    for (const jest of running) jest.kill("SIGKILL");
  });
}

const results = await Promise.all(parts.map(run));
// Said, and no fault of what was tested: the tests themselves have ended.
await Promise.race([takeAway(folder), tooLate()]).catch((error) => {
  console.error(`Something of the tests stays behind in ${folder}: ${error.message}`);
});
if (interrupted !== undefined) process.exit(128 + constants.signals[interrupted]);
if (results.some(({ totals }) => totals === undefined)) {
  console.error("jest ended without a report");
  process.exit(results.find(({ totals }) => totals === undefined).status || 1);
}

const sum = (key) => results.reduce((total, { totals }) => total + totals[key], 0);
const brokenFiles = sum("numRuntimeErrorTestSuites");
const failed = sum("numFailedTests") + brokenFiles;
const skipped = sum("numPendingTests") + sum("numTodoTests");
const skips = new Map();
for (const file of results.flatMap(({ totals }) => totals.testResults)) {
  const count = file.assertionResults.filter(({ status: one }) => one === "pending").length;
  if (count > 0) skips.set(path.relative(root, file.name), count);
}
if (skips.size > 0) {
  console.log(`\n!!! ${skipped} tests were SKIPPED because this machine or user lacks what they need:`);
  for (const [file, count] of skips) console.log(`!!!   ${count} in ${file}`);
}
if (brokenFiles > 0) console.log(`\n${brokenFiles} test files could not be run`);
console.log(`\n${sum("numPassedTests")} passed, ${failed} failed, ${skipped} skipped`);
process.exit(results.find(({ status }) => status !== 0)?.status ?? (failed > 0 ? 1 : 0));

/** Also keeps this program alive: a runtime that waits for a container does not. */
function tooLate() {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`it took longer than ${TAKING_AWAY} s`)), TAKING_AWAY * 1_000),
  );
}

async function run({ about, nice = 0, args }, number) {
  if (about !== undefined) console.error(about);
  const report = path.join(folder, `report-${number}.json`);
  const words = [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    // Each test file loads its modules anew: with V8's own 16 MiB for young objects an eighth of the time goes into collecting them.
    "--max-semi-space-size=64",
    path.join(root, "node_modules/jest/bin/jest.js"),
    "--json",
    `--outputFile=${report}`,
    `--cacheDirectory=${number === 0 ? cache : `${cache}_${number + 1}`}`,
    "--reporters=default",
    `--reporters=${path.join(root, "scripts/jest/progress.mjs")}`,
    // A handle that a test leaves open must not hold up CI for ever.
    "--forceExit",
    ...args,
  ];
  const env = { ...process.env, TMPDIR: folder };
  const [program, ...rest] = [...(nice > 0 ? ["nice", "-n", String(nice)] : []), process.execPath, ...words];
  const jest = spawn(program, rest, { cwd: root, stdio: ["inherit", "ignore", "inherit"], env });
  running.add(jest);
  const status = await new Promise((resolve) => {
    // The other part is to be waited for, and what the tests left taken away.
    jest.once("error", (error) => {
      console.error(`jest cannot be started: ${error.message}`);
      resolve(1);
    });
    jest.once("exit", (code) => resolve(code ?? 1));
  });
  running.delete(jest);
  try {
    return { status, totals: JSON.parse(readFileSync(report, "utf8")) };
  } catch {
    return { status };
  }
}
