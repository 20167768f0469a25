// node scripts/measures.mjs [--json]: what the house measures (ADR 21): lines, files, small files, names of files that occur often.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

const SMALL = 40;
/** Names that say the same in each package. */
const USUAL = new Set(["index.ts", "internal.ts", "options.ts", "plugin.ts", "metrics.ts", "view.ts"]);
const NOT_OURS = new Set(["node_modules", "dist"]);

const packages = readdirSync(path.join(root, "packages"));
const sources = packages.flatMap((name) => filesBelow(`packages/${name}/src`, /\.ts$/));
const others = ["scripts", "conformance", "bench", "fuzz"].flatMap((name) => filesBelow(name, /\.(?:[mc]?js|ts|sh)$/));
const names = new Map();
for (const { file } of sources) names.set(path.basename(file), (names.get(path.basename(file)) ?? 0) + 1);
const often = [...names].filter(([name, count]) => count > 2 && !USUAL.has(name)).sort(([, a], [, b]) => b - a);

const rows = {
  "source lines in packages/*/src": lines(sources),
  "lines in scripts, conformance, bench, fuzz": lines(others),
  "source files": sources.length,
  "share of files under 40 lines, %": Math.round(
    (100 * sources.filter(({ count }) => count < SMALL).length) / sources.length,
  ),
  "lines of core": lines(sources.filter(({ file }) => file.startsWith("packages/core/"))),
  "file names used more than twice": often.length,
};
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, undefined, 2));
else {
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(45)} ${value}`);
  console.log(often.map(([name, count]) => `${name} ${count}`).join(", "));
  for (const name of packages) {
    const own = sources.filter(({ file }) => file.startsWith(`packages/${name}/`));
    console.log(`  ${name.padEnd(20)} ${String(own.length).padStart(4)} files ${String(lines(own)).padStart(6)} lines`);
  }
}

function lines(files) {
  return files.reduce((sum, { count }) => sum + count, 0);
}

function filesBelow(folder, pattern) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesBelow(file, pattern);
    return pattern.test(file)
      ? [{ file, count: readFileSync(path.join(root, file), "utf8").split("\n").length - 1 }]
      : [];
  });
}
