// Runs jest and ends with the true totals: `N passed, N failed, N skipped`.
//   node scripts/jest.mjs                    what judges a change: the projects unit and real
//   node scripts/jest.mjs --all              the project deep too, and all tries of tests that try something many times
//   node scripts/jest.mjs --rest             what --all has and a run without arguments does not
//   node scripts/jest.mjs unit [PATH...]     one project of jest.config.js: unit, real, deep, plugins, kube, truth, install
//   node scripts/jest.mjs ARGUMENTS          arguments of jest
// HOOKLET_TEST_RETRY=1 (CI): up to five files that failed run once more, alone; what passes then is named as flaky.
// All that the tests make lies in a folder of the run's own, and goes with it, also when the run is interrupted.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { availableParallelism, constants, tmpdir } from "node:os";
import path from "node:path";
import { testSeed } from "../test/test-seed.mjs";
import { tellHelp } from "./help.mjs";
import { takeAway } from "./jest/leftovers.mjs";
import { hierarchies } from "./machine.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

/** Files of real tests side by side. */
const REAL_AT_ONCE = 3;
/** Unit tests get what the real ones leave of all cores, and give way: a fourth of a core is left to them where both want it. */
const BESIDE = Math.min(availableParallelism(), 4);
const GIVES_WAY = 5;
/** Letters of a TMPDIR below which the tests' sockets have room. */
const LONGEST_BASE = 24;
const PROJECTS = ["unit", "real", "deep", "plugins", "kube", "truth", "install"];
const given = process.argv.slice(2);
const [whole] = ["--all", "--rest"].filter((one) => one === given[0]);
// One seed for all files of the run, and no other run has it.
if (process.env.HOOKLET_TEST_SEED === "random") process.env.HOOKLET_TEST_SEED = String(testSeed("random"));
if (whole !== undefined) process.env.HOOKLET_TEST_RUNS ??= "1";
const select = (...projects) => ["--selectProjects", ...projects];
const parts = given.length > 0 && whole === undefined ? [{ args: chosen(given) }] : [realPart(), unitPart()];

// Without links: what the tests find in /proc has none. Short: paths of sockets end at 107 letters.
const base = tmpdir().length > LONGEST_BASE ? "/tmp" : tmpdir();
const folder = realpathSync(mkdtempSync(path.join(base, "hooklet-")));
// Some tests act as other users.
chmodSync(folder, 0o755);
// Where jest has it by itself: it outlives the run. The second part has its own: each writes the times of its files over the other's.
const cache = path.join(tmpdir(), `jest_${(process.getuid?.() ?? 0).toString(36)}`);

/** What only the machine's own agent, or a kubelet, makes: on a node that has one, tests that make it would destroy what it keeps there. */
const MACHINES_OWN = [
  "/var/lib/hooklet",
  "/var/lib/kubelet",
  "/var/log/pods",
  ...hierarchies().map((one) => `${one}/kubepods`),
];

/** Seconds for removing what is left, and from when on one more signal ends it: a Ctrl-C arrives twice by itself. */
const TAKING_AWAY = 300;
const ONCE_MORE = 3;

/** Files that fail in one run and are worth a second try. */
const MOST_RETRIED = 5;

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
    console.error(`\n${signal}: the tests are interrupted; removing what they started`);
    for (const jest of running) jest.kill("SIGKILL");
  });
}

const absent = MACHINES_OWN.filter((file) => !existsSync(file));
const results = await Promise.all(parts.map(run));
const files = results.flatMap(({ totals }) => totals?.testResults ?? []);
const flaky = process.env.HOOKLET_TEST_RETRY === "1" ? await retry(files.filter(hasFailed)) : [];
const made = absent.filter((file) => existsSync(file));
if (made.length > 0)
  console.error(
    `The tests, or another program meanwhile, made ${made.join(", ")}: an agent under test has its own root dir`,
  );
// Said, and no fault of what was tested: the tests themselves have ended.
await Promise.race([takeAway(folder), tooLate()]).catch((error) => {
  console.error(`Something of the tests stays behind in ${folder}: ${error.message}`);
});
if (interrupted !== undefined) process.exit(128 + constants.signals[interrupted]);
if (results.some(({ totals }) => totals === undefined)) {
  console.error("jest ended without a report");
  process.exit(results.find(({ totals }) => totals === undefined).status || 1);
}

const inFile = ({ assertionResults }, ...wanted) => assertionResults.filter(({ status }) => wanted.includes(status));
const sum = (...wanted) => files.reduce((total, file) => total + inFile(file, ...wanted).length, 0);
// A file that could not be loaded has no test that failed.
const brokenFiles = files.filter((file) => file.status === "failed" && inFile(file, "failed").length === 0).length;
const failed = sum("failed") + brokenFiles;
const skipped = sum("pending", "todo");
if (skipped > 0) {
  console.log(`\n!!! ${skipped} tests were SKIPPED because this machine or user lacks what they need:`);
  for (const file of files) {
    const count = inFile(file, "pending").length;
    if (count > 0) console.log(`!!!   ${count} in ${path.relative(root, file.name)}`);
  }
}
if (failed > 0) {
  console.log("\nFailed; each alone:");
  for (const file of files.filter(hasFailed)) {
    const name = path.relative(root, file.name);
    for (const { fullName } of inFile(file, "failed")) console.log(`  ${fullName}`);
    console.log(`    node scripts/jest.mjs ${projectOf(name)} ${name}`);
  }
}
if (flaky.length > 0) {
  console.log("\nFLAKY: failed once, and passed when tried again alone. Each is a fault of the test or of hooklet:");
  for (const name of flaky) console.log(`  ${name}`);
}
console.log(`\n${sum("passed")} passed, ${failed} failed, ${skipped} skipped`);
// jest can also fail without a test that does.
const broken = results.find(({ status, totals }) => status !== 0 && totals.success);
process.exit(broken?.status ?? (failed + made.length > 0 ? 1 : 0));

/** Also keeps this program alive: a runtime that waits for a container does not. */
function tooLate() {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`it took longer than ${TAKING_AWAY} s`)), TAKING_AWAY * 1_000),
  );
}

function hasFailed({ status }) {
  return status === "failed";
}

/**
 * Runs files once more, one after the other, and puts their new results in the place of the old ones. Many failures at once are no accident.
 * @returns the names of the tests that pass now
 */
async function retry(failures) {
  if (failures.length === 0 || failures.length > MOST_RETRIED || interrupted !== undefined) return [];
  const names = failures.map(({ name }) => path.relative(root, name));
  const args = [...names, "--runTestsByPath", "--runInBand", ...select(...new Set(names.map(projectOf)))];
  const { totals } = await run({ about: `Once more, alone: ${names.join(", ")}`, args }, parts.length);
  return failures.flatMap((before) => {
    const after = totals?.testResults.find(({ name }) => name === before.name);
    if (after === undefined) return [];
    const failedBefore = before.assertionResults.filter(hasFailed).map(({ fullName }) => fullName);
    Object.assign(before, after);
    const now = new Set(after.assertionResults.filter(hasFailed).map(({ fullName }) => fullName));
    return failedBefore.filter((fullName) => !now.has(fullName));
  });
}

async function run({ about, nice = 0, args }, number) {
  if (about !== undefined) console.error(about);
  const report = path.join(folder, `report-${number}.json`);
  const words = [
    path.join(root, "node_modules/jest/bin/jest.js"),
    // First: an option that takes several values would take a path behind it for one.
    ...args,
    `--cacheDirectory=${number === 0 ? cache : `${cache}_${number + 1}`}`,
    "--reporters=default",
    `--reporters=${path.join(root, "scripts/jest/reporter.mjs")}`,
  ];
  const env = { ...process.env, TMPDIR: folder, HOOKLET_TEST_REPORT: report };
  const [program, ...rest] = [...(nice > 0 ? ["nice", "-n", String(nice)] : []), process.execPath, ...words];
  const jest = spawn(program, rest, { cwd: root, stdio: ["inherit", "ignore", "inherit"], env });
  running.add(jest);
  const status = await new Promise((resolve) => {
    // The other part is to be waited for, and what the tests left removed.
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

/** The first word may be a project's name. */
function chosen([first, ...rest]) {
  if (!PROJECTS.includes(first)) return given;
  const isSaid = rest.some((one) => /^(?:--maxWorkers|-w|--runInBand|-i)\b/.test(one));
  const workers = first === "unit" || isSaid ? [] : [`--maxWorkers=${REAL_AT_ONCE}`];
  return [...rest, ...workers, ...select(first)];
}

/** Some files side by side: real processes wait more than they compute. */
function realPart() {
  const what = whole === undefined ? "real" : whole === "--all" ? "real and deep" : "deep, and all tries of real";
  const about = `Part 1 of 2: ${what}`;
  const files = whole === "--rest" ? ["/test/deep/", ...withTries("real")] : [];
  const projects = whole === undefined ? ["real"] : ["real", "deep"];
  return { about, args: [...files, `--maxWorkers=${REAL_AT_ONCE}`, ...select(...projects)] };
}

function unitPart() {
  const files = whole === "--rest" ? withTries("unit") : [];
  const about = `Part 2 of 2, beside it: ${whole === "--rest" ? "all tries of unit" : "unit"}`;
  return { about, nice: GIVES_WAY, args: [...files, `--maxWorkers=${BESIDE}`, ...select("unit")] };
}

/** The files of a project that try more in a whole run: see test/test-seed.mjs. */
function withTries(project) {
  const words = ["grep", "-l", "-e", '"fast-check"', "-e", "testRuns(", "--", "*.test.ts"];
  const files = spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim().split("\n");
  return files.filter((file) => (project === "unit") === !/\/(?:real|deep)\//.test(file));
}

function projectOf(file) {
  return PROJECTS.findLast((name) => file.includes(`/${name}/`)) ?? "unit";
}
