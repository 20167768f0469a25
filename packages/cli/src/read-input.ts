/** Reads what `-f` names. */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText, isNodeAgentError, NodeAgentError } from "@hooklet/core/base";
import type { Io } from "./io.js";

/** The agent takes no larger manifest. */
const MAX_BYTES = 10 * 1024 * 1024;

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
