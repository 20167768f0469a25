/** One picture of the live table: pods, beneath them the newest events, last a line on how far it has come. Pure. */
import { stripVTControlCharacters, styleText } from "node:util";
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { summarize } from "../pod-status.js";
import { eventTable } from "../print/event-table.js";
import { podTable, severalNamespaces } from "../print/pod-table.js";
import { isSettled } from "./settled.js";

export interface FrameInput {
  readonly pods: readonly Pod[];
  /** Oldest first. */
  readonly events: readonly Event[];
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Counts up with each picture; turns the progress mark. */
  readonly tick: number;
  /** What is being waited for; undefined: the pods coming up. */
  readonly notice?: string;
}

const MARKS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Lines that events may take from the pods, with their head and the empty line above. */
const EVENT_LINES = 8;

/** Never wider than `columns` nor higher than `rows - 1`: the terminal keeps a line for the cursor. */
export function frame(input: FrameInput): string {
  const height = Math.max(1, input.rows - 1);
  const status = statusLine(input);
  const room = height - 1;
  const wanted = input.events.length === 0 ? 0 : Math.min(EVENT_LINES, input.events.length + 2);
  const pods = podLines(input);
  const shownPods = cutLines(pods, Math.max(room - wanted, Math.min(pods.length, Math.ceil(room / 2)), 2), "pods");
  const eventRoom = room - shownPods.length;
  const events = eventRoom >= 3 ? ["", ...eventLines(input, eventRoom - 1)] : [];
  return [...shownPods, ...(events.length > 1 ? events : []), status]
    .slice(-height)
    .map((line) => fit(line, input.columns))
    .join("\n");
}

function podLines({ pods, now, colour }: FrameInput): readonly string[] {
  if (pods.length === 0) return ["No pods yet."];
  const [head = "", ...rows] = podTable(pods, { wide: false, namespaces: severalNamespaces(pods), now }).split("\n");
  const paint = (row: string, index: number): string => {
    const pod = pods[index];
    const status = pod === undefined ? "" : summarize(pod).status;
    return colour ? row.replace(` ${status} `, ` ${paintStatus(status)} `) : row;
  };
  return [colour ? style("bold", head) : head, ...rows.map(paint)];
}

function paintStatus(status: string): string {
  if (["Running", "Completed", "Succeeded"].includes(status)) return style("green", status);
  if (/Error|BackOff|Failed|ExitCode|Signal|OOM|Evicted|Preempt|OutOf|Unexpected|Invalid/.test(status))
    return style("red", status);
  return style("yellow", status);
}

function eventLines({ events, now, colour }: FrameInput, room: number): readonly string[] {
  if (events.length === 0) return [];
  const [head = "", ...rows] = eventTable(events.slice(-(room - 1)), now).split("\n");
  return [
    colour ? style("bold", head) : head,
    ...rows.map((row) => (colour && / {2,}Warning /.test(row) ? style("yellow", row) : row)),
  ];
}

function statusLine({ pods, tick, colour, notice }: FrameInput): string {
  const settled = pods.filter(isSettled).length;
  const busy = notice !== undefined || settled < pods.length;
  const mark = busy ? (MARKS[tick % MARKS.length] ?? "") : "✓";
  const text = notice ?? `${settled} of ${pods.length} pods are ready or have ended. Ctrl-C stops them.`;
  return `${colour ? style(busy ? "cyan" : "green", mark) : mark} ${text}`;
}

/** The first lines, the last of them saying how many more there are. */
function cutLines(lines: readonly string[], room: number, what: string): readonly string[] {
  if (lines.length <= room) return lines;
  const kept = lines.slice(0, Math.max(1, room - 1));
  return [...kept, `… ${lines.length - kept.length} more ${what}`];
}

/** Cuts a line at the terminal's width; a painted line loses its paint then. */
function fit(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= columns ? line : `${plain.slice(0, Math.max(0, columns - 1))}…`;
}

function style(format: "bold" | "green" | "red" | "yellow" | "cyan", text: string): string {
  return styleText(format, text, { validateStream: false });
}
