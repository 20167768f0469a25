/** The last lines that a container wrote and that say something, read within the agent. */
import { type LastLogLines, linesOf, STACK_LINES } from "@hooklet/cli/print";
import type { AgentApi } from "@hooklet/core/host";
import { readLog } from "@hooklet/core/internal";
import { type Clock, withDeadline } from "@hooklet/utils";

/** A log that is written on and on does not hold up what else is said. */
const PATIENCE = 2_000;

export function lastLogLinesInside(api: Pick<AgentApi, "log">, clock: Clock): LastLogLines {
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
      // A log that is gone leaves the rest of the answer as it is.
    } finally {
      over.abort();
    }
    return linesOf(pieces, lines);
  };
}
