/** The last lines that a container wrote and that say something, read within the agent. */

import { type LastLogLines, linesOf, STACK_LINES, type Trouble, troubles } from "@hooklet/cli/print";
import type { AgentApi } from "@hooklet/core/host";
import { readLog } from "@hooklet/logs";
import type { Pod } from "@hooklet/manifest";
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

/** The last line of each container in trouble, read once for each of its ends. */
export class LastLineReader {
  /** By `<pod uid>/<container>`. */
  readonly lines = new Map<string, string>();
  readonly #seen = new Map<string, string>();

  constructor(
    private readonly lastLogLines: LastLogLines,
    private readonly changed: () => void,
  ) {}

  /** Reads what is new; what is over is forgotten. */
  look(pods: readonly Pod[]): void {
    const now = new Set<string>();
    for (const pod of pods) {
      for (const trouble of troubles(pod)) {
        const key = `${pod.metadata.uid}/${trouble.container ?? ""}`;
        now.add(key);
        const mark = endOf(pod, trouble);
        if (this.#seen.get(key) === mark) continue;
        this.#seen.set(key, mark);
        void this.#read(pod, trouble, key);
      }
    }
    for (const key of this.#seen.keys()) {
      if (now.has(key)) continue;
      this.#seen.delete(key);
      this.lines.delete(key);
    }
  }

  async #read(pod: Pod, trouble: Trouble, key: string): Promise<void> {
    const [line = ""] = await this.lastLogLines(pod.metadata, trouble, 1);
    if (!this.#seen.has(key) || this.lines.get(key) === line) return;
    this.lines.set(key, line);
    this.changed();
  }
}

/** What tells one end of a container from the next. */
function endOf({ status }: Pod, { container, why }: Trouble): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const found = all.find(({ name }) => name === container);
  return `${found?.restartCount} ${found?.state?.terminated?.finishedAt ?? found?.lastState?.terminated?.finishedAt} ${why.length}`;
}
