/** Decisions as `hooklet explain` and `hooklet plan` print them. Pure. */
import type { Decision } from "@hooklet/core";
import { rfc3339 } from "@hooklet/utils";
import { table } from "./columns.js";
import { escapeControls } from "./escape.js";

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
