/** Events as kubectl's tables show them. Pure. */
import type { Event } from "kubernetes-types/core/v1.js";
import { age } from "./amounts.js";
import type { Rows } from "./columns.js";
import { oneLine } from "./escape.js";

/** `10s`, or `10s (x3 over 2m)` for one that happened more than once. */
export function lastSeen(event: Event, now: number): string {
  const last = age(event.lastTimestamp ?? event.eventTime, now);
  const count = event.count ?? 1;
  return count > 1 ? `${last} (x${count} over ${age(event.firstTimestamp, now)})` : last;
}

function eventCells(event: Event, now: number): readonly string[] {
  const { kind = "", name = "" } = event.involvedObject;
  return [
    lastSeen(event, now),
    event.type ?? "",
    event.reason ?? "",
    `${kind.toLowerCase()}/${name}`,
    (event.message ?? "").trim(),
  ];
}

const EVENT_COLUMNS = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"] as const;

export function eventRows(events: readonly Event[], now: number, wide = false): Rows {
  return {
    head: [...EVENT_COLUMNS, ...(wide ? WIDE_COLUMNS : [])],
    rows: events.map((event) => [...eventCells(event, now), ...(wide ? wideCells(event, now) : [])]),
  };
}

const WIDE_COLUMNS = ["SOURCE", "FIRST SEEN", "COUNT"] as const;

function wideCells(event: Event, now: number): readonly string[] {
  const first = event.firstTimestamp ?? event.lastTimestamp;
  return [event.source?.component ?? "", age(first, now), String(event.count ?? 1)];
}

/** One line for a log or a follow, without an age that would grow old at once: type, reason, object, message. */
export function eventLine(event: Event): string {
  const { kind = "", name = "" } = event.involvedObject;
  return oneLine(`${event.reason ?? ""} ${kind.toLowerCase()}/${name}: ${(event.message ?? "").trim()}`);
}
