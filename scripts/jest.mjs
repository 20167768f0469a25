// Runs jest on native ES modules and ends with the true totals: `N passed, N failed, N skipped`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./pnpm.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "hooklet-jest-"));
const report = path.join(folder, "report.json");
const jest = path.join(root, "node_modules/jest/bin/jest.js");
const args = [
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  jest,
  "--json",
  `--outputFile=${report}`,
  // A handle that a test leaves open must not hold up CI for ever.
  "--forceExit",
];
const { status } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ["inherit", "ignore", "inherit"],
});

let totals;
try {
  totals = JSON.parse(readFileSync(report, "utf8"));
} catch {
  console.error("jest ended without a report");
  process.exit(status || 1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const brokenFiles = totals.numRuntimeErrorTestSuites;
const failed = totals.numFailedTests + brokenFiles;
const skipped = totals.numPendingTests + totals.numTodoTests;
const skips = new Map();
for (const file of totals.testResults) {
  const count = file.assertionResults.filter(({ status: one }) => one === "pending").length;
  if (count > 0) skips.set(path.relative(root, file.name), count);
}
if (skips.size > 0) {
  console.log(`\n!!! ${skipped} tests were SKIPPED because this machine or user lacks what they need:`);
  for (const [file, count] of skips) console.log(`!!!   ${count} in ${file}`);
}
if (brokenFiles > 0) console.log(`\n${brokenFiles} test files could not be run`);
console.log(`\n${totals.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
process.exit(status || (failed > 0 ? 1 : 0));
