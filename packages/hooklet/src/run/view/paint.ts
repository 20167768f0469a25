/** From one picture to the next: only the lines that changed are written. Pure. */

import { styleText } from "node:util";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
/** The screen beside the one with the reader's own lines, which come back afterwards. */
const OWN_SCREEN = "\u001b[?1049h";
const READERS_SCREEN = "\u001b[?1049l";
/** A line that is wider than it looks is cut by the terminal and does not push others down. */
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const CLEAR = "\u001b[2J";
/** Before the line: behind one as wide as the terminal it erases the last character. */
const CLEAR_TO_END = "\u001b[K";

export const beginScreen = `${OWN_SCREEN}${NO_WRAP}${HIDE_CURSOR}${CLEAR}`;
export const endScreen = `${WRAP}${SHOW_CURSOR}${READERS_SCREEN}`;

/** `before`: undefined when nothing that is on the screen counts. Empty when nothing changed. */
export function paint(before: readonly string[] | undefined, after: readonly string[]): string {
  const parts = before === undefined ? [CLEAR] : [];
  const rows = Math.max(before?.length ?? 0, after.length);
  for (let row = 0; row < rows; row += 1) {
    const line = after[row] ?? "";
    if (before !== undefined && before[row] === line) continue;
    parts.push(`\u001b[${row + 1};1H${CLEAR_TO_END}${line}`);
  }
  return parts.join("");
}

// Colours of the live view.

export type Style = (format: Format, text: string) => string;

type Format = "bold" | "dim" | "inverse" | "green" | "red" | "yellow" | "cyan";

export function styling(colour: boolean): Style {
  return (format, text) => (colour && text !== "" ? styleText(format, text, { validateStream: false }) : text);
}

const WELL = ["Running", "Completed", "Succeeded"];
const BAD = /Error|BackOff|Failed|ExitCode|Signal|OOM|Evicted|Preempt|OutOf|Unexpected|Invalid/;

export function statusStyle(status: string): "green" | "red" | "yellow" {
  if (WELL.includes(status)) return "green";
  return BAD.test(status) ? "red" : "yellow";
}
