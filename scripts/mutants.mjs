// pnpm mutants [FOLDER...] [--survivors] [--keep] [--workers N] [--one-in N] [--quick]: changes the pure code of core, manifest, the plugins and more in
// thousands of small ways, each in turn, and looks which changes no test notices (Stryker). Ends with a table by folder. FOLDER: `core/pod`,
// `plugin-eviction`, `core/src/pod/next.ts`, or a place as --survivors tells it, `core/pod/next.ts:3:7-3:12`. A run that is ended before its time (Ctrl-C,
// TERM) tells what it knows. --quick leaves out the tests that take most of the time, property tests and vectors: what it says is killed is
// killed, of what survives they may kill some. A static mutant (reckoned once, when a file is loaded) would need a process of its own and is left out.
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { tellHelp } from "./help.mjs";
import { copyOf } from "./mutants/copy.mjs";
import { patternsOf, placeOf } from "./mutants/place.mjs";
import { inSample } from "./mutants/sample.mjs";
import { byFolder, survivorsOf } from "./mutants/table.mjs";
import { isPure, isQuick, PACKAGES, testsOf, topicsOf } from "./mutants/tests.mjs";
import { told } from "./mutants/told.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    survivors: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    workers: { type: "string", default: "1" },
    "one-in": { type: "string", default: "1" },
    quick: { type: "boolean", default: false },
  },
});
const oneIn = Number(values["one-in"]);
if (!Number.isInteger(oneIn) || oneIn < 1)
  throw new Error(
    `--one-in: expected a whole number from 1 on, found ${values["one-in"]}; 5 looks at every fifth mutant`,
  );
process.env.HOOKLET_MUTANTS_ONE_IN = String(oneIn);
// Whoever gave it a place of its own on the machine wants it to keep that.
if (os.getPriority() === 0) os.setPriority(19);
const places = positionals.map(placeOf);
const chosen = PACKAGES.flatMap((name) => {
  const files = pureFiles(name).filter((file) => patternsOf(file, places).length > 0);
  // Core is large: each of its rooms has its tests in a folder of the same name.
  const rooms = name === "core" ? [...new Set(files.map(roomOf))] : files.length > 0 ? [""] : [];
  return rooms.map((room) => ({
    name,
    room,
    mutate: files.filter((file) => room === "" || roomOf(file) === room).flatMap((file) => patternsOf(file, places)),
  }));
});
if (chosen.length === 0)
  throw new Error(`${positionals.join(", ")}: expected a folder with pure files below packages/, found none`);

const { folder, remove } = copyOf(root);
process.chdir(folder);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => tellAndEnd(signal));
const { Stryker } = await import("@stryker-mutator/core");
const found = [];
try {
  for (const one of chosen) {
    const those = await mutants(one);
    // A run over many folders may be cut short: what is known is told at once.
    if (values.survivors) for (const line of survivorsOf(those, folder)) console.log(line);
    if (chosen.length > 1) console.table(byFolder(those, folder));
    found.push(...those);
  }
} finally {
  process.chdir(root);
  if (!values.keep) remove();
}
console.table(byFolder(found, folder));

/** Stryker itself ends on a signal without a word. */
function tellAndEnd(signal) {
  const known = told.filter((one) => inSample(one, oneIn));
  if (values.survivors) for (const line of survivorsOf(known, folder)) console.log(line);
  console.error(`${signal}: what was looked at until then, of it what few tests reach comes first`);
  console.table(byFolder(known, folder));
  process.chdir(root);
  if (!values.keep) remove();
  process.exit(1);
}

/** `pod` of packages/core/src/pod/status/phase.ts; `errors` of packages/core/src/errors.ts. */
function roomOf(file) {
  return file.split("/")[3].replace(/\.ts$/, "");
}

function pureFiles(name) {
  const source = path.join(root, "packages", name, "src");
  return readdirSync(source, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => isPure(readFileSync(path.join(source, file), "utf8")))
    .map((file) => path.join("packages", name, "src", file))
    .sort();
}

async function mutants({ name, room, mutate }) {
  process.env.HOOKLET_MUTANTS_TOPICS = topicsOf(name, room).join(" ");
  const started = performance.now();
  const found = await new Stryker({
    mutate,
    inPlace: true,
    plugins: ["@stryker-mutator/mocha-runner", "./mutants/sample.mjs", "./mutants/told.mjs"].map((one) =>
      fileURLToPath(import.meta.resolve(one)),
    ),
    testRunner: "mocha",
    testRunnerNodeArgs: [
      `--import=${import.meta.resolve("./mutants/register.mjs")}`,
      "--conditions=hooklet-source",
      "--no-warnings",
    ],
    mochaOptions: {
      spec: testsOf(name, room, folder).filter((file) => !values.quick || isQuick(file)),
      "no-config": true,
      "no-package": true,
    },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: Number(values.workers),
    // Loops without end are counted out by Stryker; this is for what waits. A time-out counts as killed: a busy machine must not make one.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 20,
    reporters: ["told", process.stderr.isTTY ? "progress" : "progress-append-only"],
    logLevel: "warn",
    allowConsoleColors: false,
    checkers: oneIn === 1 ? [] : ["sample"],
    disableTypeChecks: false,
  }).runMutationTest();
  console.error(
    `${path.join(name, room)}: ${found.length} mutants in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  return found.filter((one) => inSample(one, oneIn));
}
