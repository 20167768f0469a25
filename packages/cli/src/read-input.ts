/** Reads what `-f` names. */
import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorText, isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { Io } from "./io.js";

/** The agent takes no larger manifest. */
const MAX_BYTES = 10 * 1024 * 1024;
const MANIFEST = /\.(?:ya?ml|json)$/;

export interface Input {
  /** What messages call it. */
  readonly where: string;
  readonly text: string;
}

/** Texts of all files; of a folder its manifests by name, as kubectl takes one. @throws NodeAgentError INVALID naming what cannot be read */
export async function readInputs(io: Io, files: readonly string[]): Promise<readonly Input[]> {
  const inputs: Input[] = [];
  for (const file of files)
    for (const one of await manifestsIn(io, file)) {
      inputs.push({ where: one === "-" ? "standard input" : one, text: await readInput(io, one) });
    }
  return inputs;
}

async function manifestsIn(io: Io, file: string): Promise<readonly string[]> {
  if (/^https?:\/\//.test(file))
    throw new NodeAgentError("INVALID", `-f takes files: curl -fsSL ${file} | hooklet apply -f -`);
  const path = resolve(io.cwd(), file);
  const isFolder = file !== "-" && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return [file];
  const names = (await readdir(path)).filter((name) => MANIFEST.test(name)).sort();
  if (names.length > 0) return names.map((name) => join(file, name));
  throw new NodeAgentError("INVALID", `${file} has no manifests: expected files that end in .yaml, .yml or .json.`);
}

/** The text of a file, or of standard input for `-`. @throws NodeAgentError INVALID naming the file */
export async function readInput(io: Io, file: string): Promise<string> {
  const where = file === "-" ? "standard input" : file;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === "-" ? io.stdin : await fileChunks(resolve(io.cwd(), file))) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > MAX_BYTES) throw new NodeAgentError("INVALID", `${where} is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
      chunks.push(bytes);
    }
  } catch (cause) {
    if (isNodeAgentError(cause)) throw cause;
    throw new NodeAgentError("INVALID", `Cannot read ${where}: ${errorText(cause)}`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function fileChunks(path: string): Promise<AsyncIterable<Buffer>> {
  return (await open(path, "r")).createReadStream();
}
