/** Decisions as `hooklet explain` and `hooklet plan` print them. Pure. */
import type { Decision } from "@hooklet/core";
import { rfc3339 } from "@hooklet/utils";
import { table } from "./columns.js";
import { escapeControls } from "./escape.js";

/** When, who, by which strategy, about what; then the outcome, then what was considered. */
export function decisionText(decision: Decision): string {
  const { at, plugin, strategy, subject, considered, outcome } = decision;
  const lines = [`${rfc3339(at)}  ${subject}  by ${plugin} (${strategy})`, `  ${outcome}`].map(escapeControls);
  if (considered.length > 0) {
    const rows = considered.map(({ candidate, verdict, why }) => [candidate, verdict, why]);
    lines.push("", indent(table(["CANDIDATE", "VERDICT", "WHY"], rows), 4));
  }
  return lines.join("\n");
}

/** All of them, oldest first, an empty line between two. */
export function decisionsText(decisions: readonly Decision[]): string {
  return decisions.map(decisionText).join("\n\n");
}

export function indent(text: string, blanks: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(blanks));
}
