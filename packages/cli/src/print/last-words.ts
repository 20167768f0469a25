/** Why containers are in trouble, with the last lines that they wrote. */
import type { Pod } from "@hooklet/manifest";
import type { LastWords } from "../last-words.js";
import { type Trouble, troubles } from "../trouble.js";
import { oneLine } from "./escape.js";

/** Lines without indentation; those of logs begin with `  | `. */
export async function troubleLines(pod: Pod, lastWords: LastWords, lines: number): Promise<readonly string[]> {
  const parts = await Promise.all(
    troubles(pod).map(async (trouble) => [
      headOf(trouble),
      ...(await lastWords(pod.metadata, trouble, lines)).map(quoted),
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
