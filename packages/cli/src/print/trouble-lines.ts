/** Why containers are in trouble, with the last lines that they wrote. */
import type { Pod } from "@hooklet/manifest";
import type { LastLogLines } from "../last-log-lines.js";
import { type Trouble, troubles } from "../trouble.js";
import { oneLine } from "./escape.js";

/** Lines without indentation; those of logs begin with `  | `. */
export async function troubleLines(pod: Pod, lastLogLines: LastLogLines, lines: number): Promise<readonly string[]> {
  const parts = await Promise.all(
    troubles(pod).map(async (trouble) => [
      headOf(trouble),
      ...(await lastLogLines(pod.metadata, trouble, lines)).map(quoted),
    ]),
  );
  return parts.flat();
}

function headOf({ container, why }: Trouble): string {
  return oneLine(container === undefined ? why : `container ${container}: ${why}`);
}

function quoted(line: string): string {
  return `  | ${line}`;
}
