/** Events as kubectl's tables show them. Pure. */

import type { Decision } from "@hooklet/core";
import { rfc3339 } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import { age } from "./amounts.js";
import { type Rows, table } from "./columns.js";
import { escapeControls, oneLine } from "./escape.js";

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

// Decisions as `hooklet explain` and `hooklet plan` print them.

/** When, who, by which strategy, about what; then the outcome, then what was considered. */
export function decisionText(decision: Decision, times = 1): string {
  const { at, plugin, strategy, subject, considered, outcome } = decision;
  const often = times === 1 ? "" : `, ${times} times`;
  const lines = [`${rfc3339(at)}  ${subject}  by ${plugin} (${strategy})${often}`, `  ${outcome}`].map(escapeControls);
  if (considered.length > 0) {
    const rows = considered.map(({ candidate, verdict, why }) => [candidate, verdict, why]);
    lines.push("", indent(table(["CANDIDATE", "VERDICT", "WHY"], rows), 4));
  }
  return lines.join("\n");
}

/** All of them, oldest first, an empty line between two; what was decided again in the same way stands once, the last time. */
export function decisionsText(decisions: readonly Decision[]): string {
  const last = new Map<string, { readonly decision: Decision; readonly times: number }>();
  for (const decision of decisions) {
    const key = sameness(decision);
    const times = (last.get(key)?.times ?? 0) + 1;
    last.delete(key);
    last.set(key, { decision, times });
  }
  return [...last.values()].map(({ decision, times }) => decisionText(decision, times)).join("\n\n");
}

function sameness({ at: _at, ...decision }: Decision): string {
  return JSON.stringify(decision);
}

export function indent(text: string, blanks: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(blanks));
}
