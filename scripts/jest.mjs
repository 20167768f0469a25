// Runs jest on native ES modules and ends with the true totals: `N passed, N failed, N skipped`.
//   node scripts/jest.mjs [ARGUMENTS OF JEST]     without any: all tests, in two passes
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./pnpm.mjs";

/**
 * Real processes, containers and times: one file after the other, or they would only make each other late. Scenarios have virtual time;
 * what installs packages or runs the documents' commands has time.
 */
const REAL = "/(test/e2e/(?!scenarios|damaged-scenarios|plan-scenario|report|pack|docs)|packages/runtime-[a-z]+/test/)";
const given = process.argv.slice(2);
const passes =
  given.length > 0
    ? [given]
    : [
        [`--testPathPatterns=${REAL}`, "--maxWorkers=1"],
        [`--testPathIgnorePatterns=/node_modules/|${REAL}`, "--maxWorkers=2", "--workerIdleMemoryLimit=1GB"],
      ];

const results = passes.map(run);
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

function run(args) {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-jest-"));
  const report = path.join(folder, "report.json");
  const words = [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    path.join(root, "node_modules/jest/bin/jest.js"),
    "--json",
    `--outputFile=${report}`,
    // A handle that a test leaves open must not hold up CI for ever.
    "--forceExit",
    ...args,
  ];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: ["inherit", "ignore", "inherit"] });
  try {
    return { status: status ?? 1, totals: JSON.parse(readFileSync(report, "utf8")) };
  } catch {
    console.error("jest ended without a report");
    process.exit(status || 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
