// publint and "are the types wrong" over the tarballs of a folder: node scripts/check-packages.mjs FOLDER
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const [folder = "."] = process.argv.slice(2);
// Packages are ES modules on Node 20 and later: who imports them is one as well, or a bundler.
const RESOLUTIONS = ["node16-esm", "bundler"];

const tarballs = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
const faults = [];
for (const name of tarballs) {
  const data = await readFile(path.join(folder, name));
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  faults.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg)}`));
  const result = await checkPackage(createPackageFromTarballData(data));
  if (result.types === false) {
    if (pkg.exports !== undefined) faults.push(`${name}: it has no types`);
    continue;
  }
  for (const problem of result.problems) {
    if ("resolutionKind" in problem && !RESOLUTIONS.includes(problem.resolutionKind)) continue;
    faults.push(`${name}: ${JSON.stringify(problem)}`);
  }
}
for (const fault of faults) console.error(fault);
console.log(`${tarballs.length} packages, ${faults.length} faults`);
process.exit(faults.length === 0 && tarballs.length > 0 ? 0 : 1);
