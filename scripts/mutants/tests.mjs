// Which tests look at the mutants of which package. Fast ones first: a mutant dies of the first test that fails.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Vectors are found by the beginnings of their topics. */
export const PACKAGES = {
  core: ["admission", "pod", "qos"],
  manifest: ["pod", "qos"],
  "plugin-cgroups": ["cgroups", "container-", "oom", "qos"],
  "plugin-devices": ["device"],
  "plugin-eviction": ["eviction"],
  "plugin-imagegc": ["imagegc", "containergc"],
  "plugin-objects": [],
  "plugin-preemption": ["preemption"],
  "plugin-probe": ["probe"],
};

/** Real time, files of this machine, processes, or what only jest has: no decision hangs on them. */
const OTHERWISE = /\bspawn|\bexecFile|mkdtemp|createServer|MatchSnapshot|MatchInlineSnapshot|describePlugin|realHost|nodeHost|README/;
/** Whole agents in virtual time: slower than the tests of one decision, but some rules are told there alone. */
const AGENT = /startTestAgent|startTest|runScenario/;

/** Files of tests, as paths within the copy. The vectors are among them: each one is a test. */
export function testsOf(name, folder) {
  const below = path.join(folder, "packages", name, "test");
  const files = readdirSync(below, { recursive: true })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => ({ file: path.join("packages", name, "test", file), text: readFileSync(path.join(below, file), "utf8") }))
    .filter(({ text }) => !OTHERWISE.test(text));
  const [agents, plain] = [files.filter(({ text }) => AGENT.test(text)), files.filter(({ text }) => !AGENT.test(text))];
  return [...plain.map(({ file }) => file), "scripts/mutants/vectors.ts", ...agents.map(({ file }) => file)];
}
