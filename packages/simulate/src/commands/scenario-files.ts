/** Scenarios by name: files, and all of a folder. */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorText, NodeAgentError } from "@hooklet/core";

const SCENARIO = /\.(ya?ml|json)$/;

export interface NamedFile {
  /** As people named it. */
  readonly name: string;
  readonly file: string;
}

/** In the order of the names. @throws NodeAgentError INVALID for what is not there, and for a folder without any */
export async function scenarioFiles(cwd: string, names: readonly string[]): Promise<readonly NamedFile[]> {
  const lists = await Promise.all(names.map((name) => filesOf(name, resolve(cwd, name))));
  return lists.flat();
}

async function filesOf(name: string, file: string): Promise<readonly NamedFile[]> {
  try {
    if (!(await stat(file)).isDirectory()) return [{ name, file }];
  } catch (cause) {
    throw new NodeAgentError("INVALID", `Cannot read the scenario ${name}: ${errorText(cause)}`, { cause });
  }
  const found = (await readdir(file)).filter((entry) => SCENARIO.test(entry)).sort();
  if (found.length === 0)
    throw new NodeAgentError("INVALID", `The folder ${name} has no scenario (*.yaml, *.yml, *.json).`);
  return found.map((entry) => ({ name: entry, file: join(file, entry) }));
}
