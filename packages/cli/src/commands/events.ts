import { type Context, withAgent } from "../context.js";
import { getEvents } from "./get/events.js";
import type { EventsOptions } from "./get/options.js";

export type { EventsOptions };

/** `hooklet events`: what was recorded; with `--watch` each new one as a line. */
export function events(context: Context, options: EventsOptions): Promise<number> {
  return withAgent(context, (client) => getEvents(context, client, options));
}
