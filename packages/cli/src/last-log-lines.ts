/** The last lines that a container wrote and that say something. */

import type { PodName } from "@hooklet/core/base";
import type { Pod } from "@hooklet/manifest";
import type { AgentClient } from "./client/agent-client.js";
import { oneLine } from "./print/escape.js";
import { quotedLog, type Trouble, troubleHead, troubles } from "./trouble.js";

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

// Which of a log's last lines say what went wrong.

const FRAME = /^\s+at \S/;
const NODE_VERSION = /^Node\.js v\d+\.\d+\.\d+$/;
/** What a program that dies by an error writes below the error's frames: its fields, and Node's version. */
const BELOW = /^(?:\s.*|\}?|Node\.js v\d+\.\d+\.\d+)$/;
const HEADING = /^(?:Uncaught |Caused by: )?[\w$.]*(?:Error|Exception)\b/;

/** So many lines more than are wanted, for a stack among them. */
export const STACK_LINES = 40;

/**
 * The last lines. The frames of a stack, and what Node writes below it, give way to the line that names its error: that one comes first
 * where the program said nothing else behind its last stack.
 */
export function errorLines(all: readonly string[], count: number): readonly string[] {
  if (!all.some((line) => FRAME.test(line))) return all.slice(-count);
  const kept = all.filter((line) => line.trim() !== "" && !FRAME.test(line) && !NODE_VERSION.test(line));
  const heading = kept.findLastIndex((line) => HEADING.test(line));
  const first = Math.max(0, kept.length - count);
  const behind = all.slice(all.findLastIndex((line) => FRAME.test(line)) + 1);
  if (heading < 0 || heading >= first || !behind.every((line) => BELOW.test(line))) return kept.slice(first);
  return [kept[heading] ?? "", ...kept.slice(first + 1)];
}

// Why containers are in trouble, with the last lines that they wrote.

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
