/** What the tests of this package share: a runtime on real processes. */
import { readFileSync } from "node:fs";
import type { RuntimeContext } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { findHierarchies, writableHierarchies } from "../src/cgroup/hierarchies.js";
import { type ProcessRuntimeOptions, processRuntimeOptions } from "../src/options.js";
import { ProcessRuntime } from "../src/process-runtime.js";

export const isRoot = process.getuid?.() === 0;

const hierarchies = findHierarchies(readFileSync("/proc/self/mountinfo", "utf8"));

export const cgroupsWork = isRoot && writableHierarchies(hierarchies, "/").writable.length > 0;

/** A logger that keeps what was said in `lines`. */
export function recordingLog(lines: string[] = []): RuntimeContext["log"] {
  const say = (...words: unknown[]): void => {
    lines.push(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));
  };
  const log = { trace: say, debug: say, info: say, warn: say, error: say, fatal: say };
  return log as unknown as RuntimeContext["log"];
}

/** Not started yet. */
export function openRuntime(
  rootDir: string,
  options: Partial<ProcessRuntimeOptions> = {},
  log: RuntimeContext["log"] = recordingLog(),
  more: Partial<RuntimeContext> = {},
): ProcessRuntime {
  return new ProcessRuntime(
    { clock: systemClock, log, rootDir, nodeName: "test-node", ...more },
    processRuntimeOptions.parse(options),
  );
}
