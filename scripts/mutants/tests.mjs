// Which tests look at the mutants of which package. Those of one decision; a mutation run puts thousands of questions to them.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Whose pure code is changed, and the beginnings of the vectors' topics that tell of it. */
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
const OTHERWISE = /\bspawn|\bexecFile|mkdtemp|createServer|MatchSnapshot|MatchInlineSnapshot|describePlugin|realHost|nodeHost|README|\/fixture\.js|import-file\.js|systemClock|one-core/;
/** Whole agents in virtual time: a decision that only they tell of lacks its test. */
const AGENT = /startTestAgent|startTest\b|runScenario|TestNode|threePods|TestPlugin|VirtualClock|\/node\.js|PluginHost|startFakeAgent/;

/** Files of tests, as paths within the copy; the vectors are among them, each one a test. */
export function testsOf(name, folder) {
  const below = path.join(folder, "packages", name, "test");
  const files = readdirSync(below, { recursive: true }).filter((file) => file.endsWith(".test.ts"));
  const plain = files.filter((file) => {
    const text = readFileSync(path.join(below, file), "utf8");
    return !OTHERWISE.test(text) && !AGENT.test(text);
  });
  return [...plain.map((file) => path.join("packages", name, "test", file)), "scripts/mutants/vectors.ts"];
}
