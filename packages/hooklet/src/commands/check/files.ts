/** `hooklet check PATH...`: each file is checked as what it is. */
import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ScenarioCommands } from "@hooklet/simulate/commands";
import { errorText, NodeAgentError } from "@hooklet/utils";
import type { AgentContext } from "../../context.js";
import { type CheckOptions, check } from "../check.js";
import { type FileKind, fileKind } from "./file-kind.js";

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
