// pnpm mutants [PATH...] [--count 200] [--seed 1]: breaks the sources in one small way after the other, drawn at random from all of packages/*/src
// or from PATHs below it, and runs those tests of `npm test` that come to the broken place, the nearest first, until one fails: unit tests, then the real
// ones, those too that come to it in a program they start: the built agent is made of the broken sources. Before the first mutant all real tests run once,
// which takes minutes. Ends with the mutants that no test noticed, and a table by package. What is broken is a copy of the project. Stryker finds the places.
// As root, use a machine of its own: a mutant of code that sends signals may end other processes of the machine.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { transformSync } from "esbuild";
import { tellHelp } from "./help.mjs";
import { testsThatLoad } from "./mutants/imports.mjs";
import { TestProcess } from "./mutants/tests.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

/** Files of unit tests for what a source does while it is loaded: any test comes to it. */
const NEAREST = 15;
/** Of those, for a survivor: what a source does while it is loaded looks like what the first test does that loads it late. */
const NEXT = 4;
/** Milliseconds that the real tests of a mutant may take: those of its own package and the quickest are tried. */
const REAL_LIMIT = 60_000;
/** Files of tests after which a process is replaced: they leave something behind. */
const FILES = 50;
/** Mutants side by side. */
const AT_ONCE = 2;
const KEEP_IMPORTS = { compilerOptions: { verbatimModuleSyntax: true } };
const PARTS = ["packages", "conformance", "test", "examples", "docs", "scripts", "bench", "fuzz", "api"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const count = whole("count");
const random = randomFrom(whole("seed"));
const wanted = positionals.map((one) => path.resolve(root, one));

// A place that the user gave it stays.
if (os.getPriority() === 0) os.setPriority(19);
const copy = mkdtempSync(path.join(os.tmpdir(), "hooklet-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    // First: a test may have filled its small disk, which makes the clean-up fail.
    report();
    await TestProcess.endAll().finally(() => process.exit(1));
  });

for (const file of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile()))
  cpSync(path.join(root, file.name), path.join(copy, file.name));
for (const part of PARTS)
  cpSync(path.join(root, part), path.join(copy, part), { recursive: true, verbatimSymlinks: true });
cpSync(path.join(root, ".git"), path.join(copy, ".git"), { recursive: true });
linkLibraries();

const testsOf = testsThatLoad(copy, ["packages", "conformance", "fuzz", "test"]);
const realTests = realFiles();
const results = [];
const mutants = await draw();
/** Tests that fail with nothing broken. */
const broken = new Set();
const { took, isLoaded, reached } = await look();
const queue = [...mutants];
const work = async () => {
  let warm;
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const started = performance.now();
    if (!warm?.isAlive) {
      await warm?.end();
      warm = new TestProcess(copy);
    }
    const outcome = await attempt(mutant, warm);
    if (!outcome.isWhole) {
      await warm.end();
      warm = undefined;
    }
    results.push({ ...mutant, ...outcome });
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    console.error(
      `${results.length} of ${mutants.length}: ${outcome.state} (${seconds} s) ${nameOf(mutant)} ${outcome.by ?? ""}`,
    );
  }
  await warm?.end();
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
report();
process.exit(0);

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
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false };
  const inputs = files.sort().map((name) => ({ name, mutate: true, content: readFileSync(name, "utf8") }));
  const { mutants, files: switched } = await instrumenter.instrument(inputs, options);
  const all = mutants
    .filter(({ status }) => status !== "Ignored")
    .map(({ id, fileName: file, location, replacement, mutatorName }) => ({
      id,
      file,
      location,
      replacement,
      mutatorName,
    }));
  console.error(`${all.length} mutants in ${files.length} files; ${Math.min(count, all.length)} of them are tried`);
  for (let at = 0; at < Math.min(count, all.length); at++) {
    const other = at + Math.floor(random() * (all.length - at));
    [all[at], all[other]] = [all[other], all[at]];
  }
  const texts = new Map(inputs.map(({ name, content }) => [name, content]));
  const drawn = all
    .slice(0, count)
    .map((mutant) => ({ ...mutant, was: textAt(texts.get(mutant.file), mutant.location) }));
  const broken = new Set(drawn.map(({ file }) => file));
  for (const { name, content } of switched.filter(({ name }) => broken.has(name))) {
    writeFileSync(name, content);
    const built = name.replace("/src/", "/dist/").replace(/\.ts$/, ".js");
    writeFileSync(built, transformSync(content, { loader: "ts", target: "es2022", tsconfigRaw: KEEP_IMPORTS }).code);
  }
  // Without it the program is what is built.
  rmSync(path.join(copy, "packages/hooklet/bundle"), { recursive: true, force: true });
  return drawn;
}

/** Runs all unit tests that load a source which is to be broken, and all real ones, with nothing broken yet: which fail all the same, and which come to what. */
async function look() {
  const files = [...new Set(mutants.flatMap(({ file }) => unitTestsOf(file))), ...realTests];
  /** File -> milliseconds. */
  const took = new Map();
  /** Mutant -> files that come to it; of those that are come to while a source is loaded: undefined. */
  const reached = new Map();
  const load = new Set();
  const chunks = Array.from({ length: Math.ceil(files.length / FILES) }, (_, at) =>
    files.slice(at * FILES, (at + 1) * FILES),
  );
  const run = async (chunk) => {
    const tests = new TestProcess(copy);
    const seen = await tests.look(chunk);
    await tests.end();
    if (seen === undefined) throw new Error(`the tests come to no end without a mutant: ${chunk.join(" ")}`);
    for (const [file, milliseconds] of seen.took) took.set(file, milliseconds);
    for (const id of seen.reached.load) load.add(id);
    for (const [file, ids] of seen.reached.files)
      for (const id of ids) reached.set(id, (reached.get(id) ?? new Set()).add(file));
    return seen.failed;
  };
  const next = async () => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      const once = await run(chunk);
      // A busy machine makes tests fail that pass alone.
      const twice = once.length === 0 ? [] : await run(once);
      for (const file of twice) broken.add(file);
      const failed = twice.map((file) => path.relative(copy, file));
      console.error(`${chunk.length} files of tests tried; these fail by themselves: ${failed.join(" ") || "none"}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return { took, isLoaded: ({ id }) => load.has(id), reached: ({ id }) => reached.get(id) ?? new Set() };
}

function unitTestsOf(file) {
  return testsOf(file).filter((test) => !/\/test\/(?:real|deep)\//.test(test) && !broken.has(test));
}

/** The tests that come to a mutant, those of its package and then the quickest first, as far as there is time. */
function realTestsOf(file, by) {
  const own = path.join(copy, ...path.relative(copy, file).split(path.sep).slice(0, 2), "test/real/");
  const order = (test) => took.get(test) + (test.startsWith(own) ? 0 : 1e9);
  let left = REAL_LIMIT;
  return realTests
    .filter((test) => by.has(test) && !broken.has(test))
    .sort((a, b) => order(a) - order(b))
    .filter((test) => {
      left -= took.get(test);
      return left >= 0;
    });
}

async function attempt(mutant, warm) {
  const { id, file } = mutant;
  const isStatic = isLoaded(mutant);
  const by = reached(mutant);
  const unit = isStatic ? unitTestsOf(file).slice(0, NEAREST) : unitTestsOf(file).filter((one) => by.has(one));
  const real = realTestsOf(file, isStatic ? new Set([...by, ...testsOf(file)]) : by);
  const all = [...unit, ...real];
  let isWhole = true;
  if (!isStatic && all.length > 0) {
    const tried = await warm.run(all, id);
    isWhole = tried?.failed.length === 0;
    if (tried === undefined) return { state: "killed", by: "(no end)", isWhole };
    if (!isWhole) {
      // A test that fails once nothing is broken any more fails for what an earlier mutant has left: tried again below.
      isWhole = (await warm.run(tried.failed))?.failed.length === 0;
      // A real one may have failed for the busy machine.
      const isSure =
        isWhole && (unit.includes(tried.failed[0]) || (await warm.run(tried.failed, id))?.failed.length !== 0);
      if (isSure) return { state: "killed", by: path.relative(copy, tried.failed[0]), isWhole };
    }
  }
  // From the start on: what a source has kept from before does not hide it. Real tests once more only for what the first try did not tell.
  const late = all.length === 0 ? [] : unitTestsOf(file).slice(0, NEXT);
  const again = isStatic || !isWhole ? all : [...new Set([...late, ...unit])];
  if (again.length > 0) {
    const tests = new TestProcess(copy, id);
    const tried = await tests.run(again, id);
    await tests.end();
    if (tried === undefined) return { state: "killed", by: "(no end)", isWhole };
    if (tried.failed.length > 0) return { state: "killed", by: path.relative(copy, tried.failed[0]), isWhole };
  }
  return { state: all.length > 0 ? "alive" : "not reached", isWhole };
}

function report() {
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
}

function nameOf({ file, was, location: { start }, replacement, mutatorName }) {
  const short = (text) => (text.length > 60 ? `${text.slice(0, 57)}...` : text).replaceAll(/\s+/g, " ");
  return `${path.relative(copy, file)}:${start.line + 1}:${start.column + 1} ${mutatorName}: ${short(was)} -> ${short(replacement)}`;
}

function textAt(text, { start, end }) {
  return text.slice(offset(text, start), offset(text, end));
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

/** Of `npm test`. */
function realFiles() {
  const folders = [
    "test/real",
    ...readdirSync(path.join(copy, "packages")).map((name) => `packages/${name}/test/real`),
  ];
  return folders
    .map((folder) => path.join(copy, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => sourcesOf(folder))
    .filter((file) => file.endsWith(".test.ts"));
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
