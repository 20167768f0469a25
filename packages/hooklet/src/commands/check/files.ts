/** `hooklet check PATH...`: each file is checked as what it is. */

import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ScenarioCommands } from "@hooklet/simulate/commands";
import { errorText, NodeAgentError } from "@hooklet/utils";
import type { AgentContext } from "../../agent-context.js";
import { type CheckOptions, check } from "../check.js";

/** Top-level keys stand at the beginning; the rest of a large scenario is not needed for this. */
const LOOKED_AT = 256 * 1024;

/** 1 when one of them has faults; all are checked. */
export async function checkFiles(
  context: AgentContext,
  files: readonly string[],
  options: CheckOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  let code = 0;
  for (const file of files) code = Math.max(code, await checkFile(context, file, options, scenarios));
  return code;
}

async function checkFile(
  context: AgentContext,
  file: string,
  options: CheckOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  switch (await kindOf(resolve(context.io.cwd(), file))) {
    case "manifest":
      return check(context, { ...options, filename: [file] }, scenarios);
    case "rc file":
      return check(context, { ...options, config: file }, scenarios);
    case "scenario":
      return scenarios.check(context, [file]);
    case undefined:
      throw new NodeAgentError(
        "INVALID",
        `${file} is neither a manifest (apiVersion, kind), nor a scenario (until, timeline, expect), nor an rc file (node, plugins, runtime, ...).`,
      );
  }
}

async function kindOf(path: string): Promise<FileKind | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return "manifest";
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
      return fileKind(path, buffer.subarray(0, bytesRead).toString("utf8"));
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new NodeAgentError("INVALID", `Cannot read ${path}: ${errorText(cause)}`, { cause });
  }
}

// What a file is, by its name and its top-level keys: its syntax may be wrong.

export type FileKind = "manifest" | "scenario" | "rc file";

const MODULE = /\.(?:[cm]?js|[cm]?ts)$/;
/** Of YAML in block style: at the beginning of a line. */
const BLOCK_KEY = /^["']?([A-Za-z][\w-]*)["']?[ \t]*:/gm;
/** Of JSON, and of YAML in flow style. */
const ANY_KEY = /["']?([A-Za-z][\w-]*)["']?\s*:/g;

const KUBELET = /(?:^|[{,])[ \t]*["']?kind["']?\s*:\s*["']?KubeletConfiguration\b/m;
const SCENARIO = ["until", "timeline", "expect", "trace", "images", "registry", "devices", "config", "rc"];
const MANIFEST = ["apiVersion", "kind"];
/** All options of an rc file. */
export const RC_KEYS: readonly string[] = [
  "extends",
  "rootDir",
  "socket",
  "port",
  "healthzPort",
  "healthzBindAddress",
  "readOnlyPort",
  "readOnlySocket",
  "server",
  "node",
  "runtime",
  "sources",
  "plugins",
];

/** Undefined: nothing tells. */
export function fileKind(name: string, text: string): FileKind | undefined {
  // What is said of it there names --from-kubelet.
  if (MODULE.test(name) || KUBELET.test(text)) return "rc file";
  const isFlow = /^\s*[{[]/.test(text.replace(/^\s*(?:#.*\n|---\s*\n|\s*\n)*/, ""));
  const keys = new Set([...text.matchAll(isFlow ? ANY_KEY : BLOCK_KEY)].map(([, key]) => key ?? ""));
  const has = (some: readonly string[]): boolean => some.some((key) => keys.has(key));
  if (has(SCENARIO)) return "scenario";
  if (has(MANIFEST)) return "manifest";
  return has(RC_KEYS) || /(?:^|\/)\.?hookletrc|hooklet\.config\./.test(name) ? "rc file" : undefined;
}
