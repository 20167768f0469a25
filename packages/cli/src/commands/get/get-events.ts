/** `events` and `get events`. */
import { invalid } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { AgentClient } from "../../client/agent-client.js";
import type { Context } from "../../context.js";
import { printLine } from "../../io.js";
import { eventRows } from "../../print/event-table.js";
import { type OutputFormat, outputFormat } from "../../print/output-format.js";
import { eventFields, parseFieldSelector } from "../../selector.js";
import { type Kind, showAll, WatchPrinter } from "../../show.js";
import type { EventsOptions } from "./resources.js";

/** What was recorded; with `--watch` each new one as well. `-o json`: one v1 Event a line. */
export async function getEvents(context: Context, client: AgentClient, options: EventsOptions): Promise<number> {
  if (options.selector !== undefined) throw invalid("events", "--field-selector: events have no labels", "--selector");
  const isMeant = eventFilter(options);
  const format = outputFormat(options.output);
  const kind = eventKind(context);
  const headers = options.headers !== false;
  const query = {
    ...(options.for !== undefined && { for: options.for }),
    ...(options.namespace !== undefined && options.allNamespaces !== true && { namespace: options.namespace }),
  };
  if (options.watch || options.follow || options.watchOnly) {
    const printer = new WatchPrinter(context, { kind, format, headers });
    const before = await client.events(query);
    // Those stand under each other; one after another each wider one would move the columns.
    if (!options.watchOnly) await showAllOf(context, printer, before.filter(isMeant), format);
    // The first of a watch are those recorded so far.
    let skip = before.length;
    for await (const event of client.watchEvents(query)) {
      skip -= 1;
      if (skip < 0 && isMeant(event)) await showAllOf(context, printer, [event], format);
    }
    return 0;
  }
  const events = (await client.events(query)).filter(isMeant);
  if (format.kind === "json") for (const event of events) await printLine(context.io.stdout, JSON.stringify(event));
  else await showAll(context, kind, events, { format, headers, nothing: "No events found." });
  return 0;
}

async function showAllOf(
  { io }: Context,
  printer: WatchPrinter<Event>,
  events: readonly Event[],
  format: OutputFormat,
): Promise<void> {
  if (format.kind === "json") for (const event of events) await printLine(io.stdout, JSON.stringify(event));
  else await printer.print(events);
}

function eventFilter({ types, fieldSelector }: EventsOptions): (event: Event) => boolean {
  const wanted = types?.split(",").map((type) => type.trim().toLowerCase());
  const unknown = wanted?.find((type) => type !== "normal" && type !== "warning");
  if (unknown !== undefined) throw invalid("--types", "Normal, Warning or both with a comma between", types);
  const byFields = parseFieldSelector(fieldSelector ?? "", eventFields);
  return (event) => (wanted?.includes((event.type ?? "").toLowerCase()) ?? true) && byFields(event);
}

function eventKind({ io }: Context): Kind<Event> {
  return {
    name: ({ metadata }) => `event/${metadata.name}`,
    object: (event) => ({ apiVersion: "v1", kind: "Event", ...event }),
    rows: (events, wide) => eventRows(events, io.clock.now(), wide),
  };
}
