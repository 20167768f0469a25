/** The last lines that a container wrote and that say something. */

import type { PodName } from "@hooklet/core/base";
import type { AgentClient } from "./client/client.js";
import { errorLines, STACK_LINES } from "./print/error-lines.js";
import { oneLine } from "./print/escape.js";
import type { Trouble } from "./trouble.js";

/** Lines of a log, none where it cannot be read. */
export type LastLogLines = (pod: PodName, trouble: Trouble, lines: number) => Promise<readonly string[]>;

const MAX_LINE = 400;

export function lastLogLinesOverSocket(client: AgentClient): LastLogLines {
  return async (pod, { container, log }, lines) => {
    if (container === undefined || log === undefined) return [];
    const pieces: Buffer[] = [];
    try {
      for await (const frame of client.logs(pod, {
        container,
        tail: lines + STACK_LINES,
        previous: log === "previous",
      })) {
        if ("stdout" in frame) pieces.push(frame.stdout);
        else if ("stderr" in frame) pieces.push(frame.stderr);
      }
    } catch {
      // A log that is gone leaves the rest of the answer as it is.
    }
    return linesOf(pieces, lines);
  };
}

/** Of what was read, the lines that say something. */
export function linesOf(pieces: readonly Buffer[], lines: number): readonly string[] {
  const text = Buffer.concat(pieces).toString("utf8").trimEnd();
  if (text === "") return [];
  return errorLines(text.split("\n"), lines).map((line) =>
    oneLine(line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line),
  );
}
