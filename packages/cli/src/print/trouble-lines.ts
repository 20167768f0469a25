/** Why containers are in trouble, with the last lines that they wrote. */
import type { Pod } from "@hooklet/manifest";
import type { LastLogLines } from "../last-log-lines.js";
import { quotedLog, troubleHead, troubles } from "../trouble.js";
import { oneLine } from "./escape.js";

/** Lines without indentation; those of logs begin with `  | `. */
export async function troubleLines(pod: Pod, lastLogLines: LastLogLines, lines: number): Promise<readonly string[]> {
  const parts = await Promise.all(
    troubles(pod).map(async (trouble) => [
      oneLine(troubleHead(trouble)),
      ...(await lastLogLines(pod.metadata, trouble, lines)).map(quotedLog),
    ]),
  );
  return parts.flat();
}
