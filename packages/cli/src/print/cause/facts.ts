/** What a cause is read from. Pure. */
import type { Decision } from "@hooklet/core";
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";

/** Both are one sentence. */
export interface Cause {
  readonly cause: string;
  /** The step that mends it. */
  readonly next: string;
}

export interface CauseFacts {
  readonly pod: Pod;
  /** Of the pod, oldest first. */
  readonly events: readonly Event[];
  readonly decisions: readonly Decision[];
  /** All pods of the node: one of them may hold what this one lacks. */
  readonly pods: readonly Pod[];
  /** The last lines that containers in trouble wrote, by name. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** What is not ready of the node; undefined: it is. */
  readonly unready?: string | undefined;
}

/** The message of the newest warning with one of these reasons. */
export function newestWarning(
  { events }: Pick<CauseFacts, "events">,
  reasons: readonly string[],
  starts = "",
): string | undefined {
  const isMeant = ({ type, reason, message }: Event): boolean =>
    type === "Warning" && reasons.includes(reason ?? "") && (message ?? "").startsWith(starts);
  return events.findLast(isMeant)?.message?.trim();
}

/** Ends with one full stop. */
export function sentence(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
