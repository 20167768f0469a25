// Is this tag the version that all packages have, with no changeset left out? node scripts/release-tag.mjs v1.2.3
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./pnpm.mjs";

const [tag = ""] = process.argv.slice(2);
const faults = [];
for (const folder of readdirSync(path.join(root, "packages"))) {
  const { name, version } = JSON.parse(readFileSync(path.join(root, "packages", folder, "package.json"), "utf8"));
  if (tag !== `v${version}`) faults.push(`${name} is ${version}: expected the tag v${version}, found ${tag || "none"}`);
}
const waiting = readdirSync(path.join(root, ".changeset")).filter(
  (file) => file.endsWith(".md") && file !== "README.md",
);
if (waiting.length > 0) {
  faults.push(
    `${waiting.length} changesets are in no version yet (${waiting[0]}): run npx pnpm@12 changeset version first`,
  );
}
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
