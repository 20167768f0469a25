// Which tests look at the mutants of which package: those of decisions, which are quick and wait for nothing.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Whose pure code is changed. */
export const PACKAGES = [
  ...["core", "manifest"],
  ...["plugin-cgroups", "plugin-devices", "plugin-eviction", "plugin-imagegc", "plugin-objects", "plugin-preemption"],
  ...["plugin-probe", "plugin-shutdown", "runtime-cri", "runtime-process", "server", "simulate", "source-kube"],
];

/** The beginnings of the vectors' topics that tell of a package, or of a room of core. Most rooms have none. */
const TOPICS = {
  "core/admission": ["admission"],
  "core/lib": ["eviction-parse", "eviction-percentage", "eviction-defaults"],
  "core/node": ["cgroups-node-allocatable-validation"],
  "core/pod": ["pod", "eviction-kill-grace"],
  manifest: ["pod", "qos"],
  "plugin-cgroups": ["cgroups", "container-", "oom", "qos"],
  "plugin-devices": ["device"],
  "plugin-eviction": ["eviction"],
  "plugin-imagegc": ["imagegc", "containergc"],
  "plugin-preemption": ["preemption"],
  "plugin-probe": ["probe"],
};

export function topicsOf(name, room) {
  return TOPICS[room === "" ? name : `${name}/${room}`] ?? [];
}

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
  const vectors = topicsOf(name, room).length > 0 ? ["scripts/mutants/vectors.ts"] : [];
  return [...own.map((file) => path.join("packages", name, "test", file)), ...vectors];
}

/** Whether a mutant is through it in no time: no rule that is put to many inputs, nor hundreds of vectors. */
export function isQuick(file) {
  return !/\.property\.test\.ts$|\/vectors\.ts$/.test(file);
}

/** Whole agents, real or virtual time, files that are written, processes, what only jest has: the slow tests of wiring. */
const WIRING = [
  /startTest|runScenario|TestNode|PluginHost|threePods|describePlugin|describeStrategy|testHost|simulatedHost/i,
  /\bclock( \}|[,.:)])|systemClock|performance\.now|\bcpuUsage\(|setTimeout|setImmediate|VirtualClock/,
  /node:(fs\/|net|http|https|child_process|timers|os|vm)\b|Snapshot\(|jest\.(?!fn|spyOn)/,
  // Reading a recording is no wiring.
  /\b(write|append|mk|rm|rename|unlink|symlink|link|chmod|chown|open|truncate)\w*Sync\b|import (\* as )?fs\b/,
  /\/(host\/kernel|load\/(?!candidates|order)[a-z-]+|config\/load-config|sources\/manifest-(folder|url)|hooks\/guard|plugin\/metrics)\.js"/,
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
