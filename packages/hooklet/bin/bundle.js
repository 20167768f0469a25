/** Which build runs: docs/adr/0022-the-program-is-a-bundle.md. */
import { existsSync, readdirSync, statSync } from "node:fs";

const packages = new URL("../../", import.meta.url);
const made = new URL("../bundle/hooklet.js", import.meta.url);

/** URL of the program: the bundle; in the repository, what tsc has built since it was made. */
export const bundle = isStale() ? new URL("../dist/main.js", import.meta.url).href : made.href;

function isStale() {
  if (!existsSync(new URL("hooklet/src", packages))) return false;
  const at = changed(made);
  return readdirSync(packages).some((name) => changed(new URL(`${name}/dist/.tsbuildinfo`, packages)) > at);
}

/** -1 for what is not there. */
function changed(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}
