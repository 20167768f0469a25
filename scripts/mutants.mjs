// pnpm mutants [PATH...] [--count 200] [--seed 1]: breaks the sources in one small way after the other, drawn at random from all of packages/*/src
// or from PATHs below it, and runs those tests of `npm test` that load the broken file, the nearest first, until one fails: unit tests, then the real
// ones of its own package. Ends with the mutants that no test noticed, and a table by package. What is broken is a copy of the project. Stryker finds the places.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { tellHelp } from "./help.mjs";
import { testsThatLoad } from "./mutants/imports.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

/** Files of unit tests, the nearest first; what no test of these notices counts as alive. */
const UNIT = 60;
/** Files of real tests, which take longer. */
const REAL = 5;
/** Milliseconds without a test that ends: a mutant that hangs is noticed. */
const SILENCE = 120_000;
const REAL_LIMIT = 300_000;
const PARTS = ["packages", "conformance", "test", "examples", "docs", "scripts", "bench", "fuzz", "api"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const count = whole("count");
const random = randomFrom(whole("seed"));
const wanted = positionals.map((one) => path.resolve(root, one));

// Whoever gave it a place of its own on the machine wants it to keep that.
if (os.getPriority() === 0) os.setPriority(19);
const copy = mkdtempSync(path.join(os.tmpdir(), "hooklet-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
let running;
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    running?.kill();
    process.exit(report(1));
  });

for (const file of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile()))
  cpSync(path.join(root, file.name), path.join(copy, file.name));
for (const part of PARTS)
  cpSync(path.join(root, part), path.join(copy, part), { recursive: true, verbatimSymlinks: true });
cpSync(path.join(root, ".git"), path.join(copy, ".git"), { recursive: true });
linkLibraries();

const testsOf = testsThatLoad(copy, ["packages", "conformance", "test"]);
/** Test files that have passed here, and those that fail without a mutant too: they say nothing. */
const sound = new Set();
const broken = new Set();
const results = [];
for (const mutant of await draw()) {
  const started = performance.now();
  const outcome = await attempt(mutant);
  results.push({ ...mutant, ...outcome });
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.error(`${results.length} of ${count}: ${outcome.state} (${seconds} s) ${nameOf(mutant)} ${outcome.by ?? ""}`);
}
process.exit(report(0));

/** Mutants of as many files as it takes, each place as likely as any other. */
async function draw() {
  const files = readdirSync(path.join(copy, "packages"))
    .flatMap((name) => sourcesOf(path.join(copy, "packages", name, "src")))
    .filter(
      (file) => wanted.length === 0 || wanted.some((one) => isWithin(path.join(root, path.relative(copy, file)), one)),
    );
  if (files.length === 0)
    throw new Error(`${positionals.join(", ")}: expected sources below packages/*/src, found none`);
  const quiet = Object.fromEntries(
    ["trace", "debug", "info", "warn", "error", "fatal"].map((level) => [level, () => {}]),
  );
  const log = { ...quiet, isDebugEnabled: () => false, isTraceEnabled: () => false };
  const instrumenter = new Instrumenter(log);
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: true };
  const all = [];
  for (const file of files.sort()) {
    const content = readFileSync(file, "utf8");
    const { mutants } = await instrumenter.instrument([{ name: file, mutate: true, content }], options);
    for (const { location, replacement, mutatorName, status } of mutants)
      if (status !== "Ignored") all.push({ file, location, replacement, mutatorName });
  }
  console.error(`${all.length} mutants in ${files.length} files; ${Math.min(count, all.length)} of them are tried`);
  for (let at = 0; at < Math.min(count, all.length); at++) {
    const other = at + Math.floor(random() * (all.length - at));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all.slice(0, count);
}

async function attempt({ file, location, replacement }) {
  const text = readFileSync(file, "utf8");
  const mutated = text.slice(0, offset(text, location.start)) + replacement + text.slice(offset(text, location.end));
  const own = path.join(copy, ...path.relative(copy, file).split(path.sep).slice(0, 2), "test/real/");
  const tests = testsOf(file);
  const unit = tests.filter((one) => !/\/test\/(?:real|deep)\//.test(one)).slice(0, UNIT);
  const real = tests.filter((one) => one.startsWith(own)).slice(0, REAL);
  const parts = [[runUnit, unit], ...real.map((one) => [runReal, [one]])];
  try {
    for (const [run, files] of parts) {
      // A run ends with the first file that fails. Where that one says nothing, the others have their turn.
      for (let left = files.filter(isHeard); left.length > 0; ) {
        writeFileSync(file, mutated);
        const failed = await run(left);
        writeFileSync(file, text);
        if (failed === undefined) break;
        left = left.slice(left.indexOf(failed) + 1);
        if (sound.has(failed) || (await run([failed])) === undefined)
          return { state: "killed", by: path.relative(copy, failed) };
        broken.add(failed);
      }
    }
    return { state: unit.length + real.length > 0 ? "alive" : "not loaded" };
  } finally {
    writeFileSync(file, text);
  }
}

function isHeard(test) {
  return !broken.has(test);
}

/** The first file that fails, or comes to no end. */
async function runUnit(files) {
  const words = ["--import=tsx", "--conditions=hooklet-source", "--disable-warning=ExperimentalWarning"];
  const temporary = mkdtempSync(path.join(os.tmpdir(), "hooklet-"));
  const tests = spawn(process.execPath, [...words, path.join(copy, "scripts/mutants/run-tests.mjs"), ...files], {
    cwd: copy,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TMPDIR: temporary, TSX_TSCONFIG_PATH: path.join(copy, "scripts/jest/tsconfig.json") },
  });
  running = tests;
  let output = "";
  const hangs = setTimeout(() => tests.kill("SIGKILL"), SILENCE);
  tests.stdout.on("data", (data) => {
    output += data;
    hangs.refresh();
  });
  await once(tests, "close");
  clearTimeout(hangs);
  rmSync(temporary, { recursive: true, force: true });
  const passed = files.filter((file) => output.includes(`passed ${file}\n`));
  for (const file of passed) sound.add(file);
  return files.find((file) => !passed.includes(file));
}

/** The file itself when it fails, or comes to no end. What it started is taken away with it. */
async function runReal([file]) {
  const words = [path.join(copy, "scripts/jest.mjs"), "real", file];
  running = spawn(process.execPath, words, { cwd: copy, timeout: REAL_LIMIT, stdio: "ignore" });
  const [status] = await once(running, "close");
  if (status !== 0) return file;
  sound.add(file);
}

function report(code) {
  const alive = results.filter(({ state }) => state !== "killed");
  for (const one of alive) console.log(`${one.state}: ${nameOf(one)}`);
  const rows = new Map();
  for (const { file, state } of results)
    for (const name of [path.relative(copy, file).split(path.sep)[1], "all"]) {
      const row = rows.get(name) ?? { mutants: 0, killed: 0 };
      rows.set(name, { mutants: row.mutants + 1, killed: row.killed + (state === "killed" ? 1 : 0) });
    }
  console.table(
    [...rows]
      .sort(([a], [b]) => (a === "all") - (b === "all") || a.localeCompare(b))
      .map(([name, { mutants, killed }]) => ({
        package: name,
        mutants,
        killed,
        "%": Math.round((100 * killed) / mutants),
      })),
  );
  return code;
}

function nameOf({ file, location: { start, end }, replacement, mutatorName }) {
  const old = readFileSync(path.join(root, path.relative(copy, file)), "utf8");
  const short = (text) => (text.length > 60 ? `${text.slice(0, 57)}...` : text).replaceAll(/\s+/g, " ");
  const was = old.slice(offset(old, start), offset(old, end));
  return `${path.relative(copy, file)}:${start.line + 1}:${start.column + 1} ${mutatorName}: ${short(was)} -> ${short(replacement)}`;
}

/** Stryker counts lines and columns from 0 on. */
function offset(text, { line, column }) {
  let at = 0;
  for (let i = 0; i < line; i++) at = text.indexOf("\n", at) + 1;
  return at + column;
}

/** The packages find each other in the copy, and their libraries here. */
function linkLibraries() {
  cpSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => path.basename(from) !== ".pnpm",
  });
  symlinkSync(path.join(root, "node_modules/.pnpm"), path.join(copy, "node_modules/.pnpm"));
}

function sourcesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join(folder, file));
}

function isWithin(file, folder) {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

function whole(name) {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name}: expected a whole number from 1 on, found ${values[name]}`);
  return number;
}

/** mulberry32: numbers in [0, 1), the same for a seed. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
