/** The last lines that a container wrote and that say something, through the socket or within the agent. */

import type { Clock } from "@hooklet/core/base";
import { withDeadline } from "@hooklet/core/base";
import { type AgentApi, type PodName, readLog } from "@hooklet/core/host";
import type { AgentClient } from "./client/client.js";
import { oneLine } from "./print/escape.js";
import { STACK_LINES, tellingLines } from "./print/telling-lines.js";
import type { Trouble } from "./trouble.js";

/** Lines of a log, none where it cannot be read. */
export type LastWords = (pod: PodName, trouble: Trouble, lines: number) => Promise<readonly string[]>;

const MAX_LINE = 400;
/** A log that is written on and on does not hold up what else is said. */
const PATIENCE = 2_000;

export function lastWordsOverSocket(client: AgentClient): LastWords {
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

export function lastWordsInside(api: Pick<AgentApi, "log">, clock: Clock): LastWords {
  return async (pod, { container, log }, lines) => {
    if (container === undefined || log === undefined) return [];
    const pieces: Buffer[] = [];
    const over = new AbortController();
    try {
      const file = await api.log(pod, container, { previous: log === "previous" });
      const options = { follow: false, timestamps: false, tail: lines + STACK_LINES };
      const reading = readLog(
        clock,
        file,
        options,
        (_, data) => void pieces.push(data),
        async () => {},
        over.signal,
      );
      await withDeadline(clock, PATIENCE, reading, () => new Error("late"));
    } catch {
      // As above.
    } finally {
      over.abort();
    }
    return linesOf(pieces, lines);
  };
}

function linesOf(pieces: readonly Buffer[], lines: number): readonly string[] {
  const text = Buffer.concat(pieces).toString("utf8").trimEnd();
  if (text === "") return [];
  return tellingLines(text.split("\n"), lines).map((line) =>
    oneLine(line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line),
  );
}
