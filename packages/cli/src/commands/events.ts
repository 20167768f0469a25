import { rfc3339 } from "@hooklet/core/base";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { eventLine } from "../print/event-table.js";
import { type ReadOptions, showEvents } from "../show.js";

export interface EventsOptions extends ReadOptions {
  readonly for?: string;
  readonly follow?: boolean;
}

/** `hooklet events`: what was recorded; with `--follow` each new one as a line. `-o json`: one v1 Event a line. */
export function events(context: Context, options: EventsOptions): Promise<number> {
  return withAgent(context, async (client) => {
    if (options.follow !== true) return showEvents(context, client, options);
    const query = {
      ...(options.for === undefined ? {} : { for: options.for }),
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    };
    for await (const event of client.watchEvents(query)) {
      const at = event.lastTimestamp ?? rfc3339(context.io.clock.now());
      const line =
        options.output === "json" ? JSON.stringify(event) : `${at} ${(event.type ?? "").padEnd(7)} ${eventLine(event)}`;
      await printLine(context.io.stdout, line);
    }
    return 0;
  });
}
