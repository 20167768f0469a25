/** The agent's own files below a root dir, and what lies beside it. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { decodeChecked } from "@hooklet/linux";
import { isState } from "./choice.js";

/** All state files below the root dir, in order, without those that are being written: an agent that died left them, and the next one ignores them. */
export function stateFiles(rootDir: string, folder = ""): readonly string[] {
  return readdirSync(path.join(rootDir, folder), { withFileTypes: true })
    .map((entry) => ({ entry, file: path.join(folder, entry.name) }))
    .filter(({ entry, file }) => isState(file) && !/^\..*\.tmp$/.test(entry.name))
    .flatMap(({ entry, file }) => (entry.isDirectory() ? stateFiles(rootDir, file) : entry.isFile() ? [file] : []))
    .sort();
}

/** Name of the pod that a file of a container, a sandbox or an applied pod is about; undefined where its state does not tell. */
export function podOf(rootDir: string, file: string): string | undefined {
  const record = file.startsWith("api-pods/") ? file : path.join(path.dirname(file), "state");
  try {
    const text = JSON.stringify(decodeChecked(readFileSync(path.join(rootDir, record), "utf8")));
    return (/"io\.kubernetes\.pod\.name":"(\w+)/.exec(text) ?? /"metadata":\{[^{}]*"name":"(\w+)/.exec(text))?.[1];
  } catch {
    return undefined;
  }
}

/** All that a folder of files holds, and when each was written and who may write it. */
export function stampOf(folder: string): string {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  return JSON.stringify(
    files.map((file) => [file, statSync(file).mtimeMs, statSync(file).mode, readFileSync(file, "latin1")]),
  );
}
