// Which tests look at the mutants of which package: those of decisions, which are quick and wait for nothing.
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
  "plugin-shutdown": [],
};

/** As test/rules/pure.test.ts knows them: the head comment ends in "Pure." */
export function isPure(text) {
  const [, head = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  return head.replace(/\n \*/g, " ").trim().endsWith("Pure.");
}

/** Files of tests, as paths within the copy, of the whole package or a room of it; the vectors are among them, each one a test. */
export function testsOf(name, room, folder) {
  const below = path.join(folder, "packages", name, "test");
  const files = readdirSync(below, { recursive: true }).filter(
    (file) => file.endsWith(".test.ts") && (room === "" || file.startsWith(`${room}/`) || file.startsWith(`${room}.`)),
  );
  const own = files.filter((file) => isOfDecisions(path.join(below, file)));
  return [...own.map((file) => path.join("packages", name, "test", file)), "scripts/mutants/vectors.ts"];
}

/** Whole agents, real or virtual time, files, processes, what only jest has: the slow tests of wiring. */
const WIRING = [
  /startTest|runScenario|TestNode|PluginHost|threePods|describePlugin|describeStrategy|testHost|simulatedHost/i,
  /\bclock\b|systemClock|performance\.now|cpuUsage|setTimeout|setImmediate|VirtualClock/,
  /node:(fs|net|http|https|child_process|timers|os|vm)\b|Snapshot\(/,
  /\/(host\/kernel|load|sources\/manifest|hooks\/guard|plugin\/metrics)[^"]*\.js"/,
];

/** It and its helpers. */
function isOfDecisions(file, seen = new Set()) {
  if (seen.has(file)) return true;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (WIRING.some((pattern) => pattern.test(text))) return false;
  const helpers = [...text.matchAll(/^import\b(?!\s+type\b)[^"';]*?\bfrom\s+"(\.[^"]+)"/gm)]
    .map(([, from]) => path.join(path.dirname(file), from.replace(/\.js$/, ".ts")))
    .filter((target) => target.includes("/test/") && existsSync(target));
  return helpers.every((helper) => isOfDecisions(helper, seen));
}
