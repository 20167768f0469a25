/** One picture of the live view, a text a row. Pure. */
import { stripVTControlCharacters } from "node:util";
import { rowsText } from "@hooklet/cli/extend";
import { eventRows } from "@hooklet/cli/print";
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { isSettled } from "../settled.js";
import { isInTrouble, type LastLines, type PodLine, podLines, podsInOrder } from "./pods.js";
import type { ViewState } from "./state.js";
import type { Style } from "./style.js";

export interface Picture {
  /** Rows from the top. */
  readonly lines: readonly string[];
  /** What keys need to know. */
  readonly uids: readonly string[];
  readonly page: number;
  readonly length: number;
}

export interface ScreenInput {
  readonly state: ViewState;
  readonly pods: readonly Pod[];
  /** Warnings are shown below the pods; oldest first. */
  readonly events: readonly Event[];
  /** Lines of the agent's log, oldest first. */
  readonly messages: readonly string[];
  readonly lastLines: LastLines;
  /** Of the text that is looked at in place of the pods. */
  readonly text?: { readonly title: string; readonly lines: readonly string[] };
  /** Where the agent is found. */
  readonly about: string;
  /** What is being waited for. */
  readonly notice: string | undefined;
  readonly hasKeys: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const NEXT = "In another terminal: hooklet get pods | logs POD -f | explain POD | events -w";
const KEYS = "Up/Down select   / filter   l log   d describe   e events   ? help   Ctrl-C stop";
const TEXT_KEYS = "Up/Down/PgUp/PgDn scroll   G end   Tab next container   l log   d describe   e events   q back";
/** Rows from which on there is room for a line that says what can be done next. */
const ROOMY = 16;
const MAX_WARNINGS = 5;

export function screen(input: ScreenInput): Picture {
  const rows = Math.max(1, input.rows);
  const top = [input.about, ...(rows >= ROOMY ? [input.style("dim", NEXT)] : [])];
  const bottom = [statusLine(input)];
  const room = Math.max(0, rows - top.length - bottom.length);
  const body = input.state.mode === "pods" ? podBody(input, room) : textBody(input, room);
  const filled = [...body.lines, ...Array.from({ length: Math.max(0, room - body.lines.length) }, () => "")];
  const lines = rows < 3 ? bottom : [...top, ...filled.slice(0, room), ...bottom];
  return { ...body, lines: lines.slice(-rows).map((line) => fit(line, input.columns)) };
}

function podBody(input: ScreenInput, room: number): Picture {
  const { state, style, now, lastLines } = input;
  const pods = podsInOrder(input.pods, state.filter);
  const uids = pods.map(({ metadata }) => metadata.uid);
  const selected = input.hasKeys ? (uids.includes(state.selected ?? "") ? state.selected : uids[0]) : undefined;
  const counts = countLine(input);
  const below = belowLines(input, Math.floor(room / 3));
  const page = Math.max(1, room - below.length - 2);
  if (pods.length === 0) {
    const none = input.pods.length === 0 ? "No pods yet." : `No pod matches "${state.filter}".`;
    return { lines: [counts, none, ...below], uids, page, length: 0 };
  }
  const { head, lines } = podLines(pods, { lastLines, selected, now, style });
  const shown = around(lines, selected, page);
  return { lines: [counts, head, ...shown, ...below], uids, page, length: lines.length };
}

/** As many lines as there is room for, the selected pod among them; the last says how many more there are. */
function around(lines: readonly PodLine[], selected: string | undefined, room: number): readonly string[] {
  if (lines.length <= room) return lines.map(({ text }) => text);
  const at = Math.max(
    0,
    lines.findIndex(({ uid }) => uid !== undefined && uid === selected),
  );
  const kept = Math.max(1, room - 1);
  const first = Math.min(Math.max(0, at - Math.floor(kept / 2)), lines.length - kept);
  const podsIn = (some: readonly PodLine[]): number => some.filter(({ uid }) => uid !== undefined).length;
  const [above, under] = [podsIn(lines.slice(0, first)), podsIn(lines.slice(first + kept))];
  const more = [...(above > 0 ? [`${above} above`] : []), ...(under > 0 ? [`${under} below`] : [])].join(", ");
  return [...lines.slice(first, first + kept).map(({ text }) => text), `… more pods: ${more || "none"}`];
}

function countLine({ pods, state, style }: ScreenInput): string {
  const trouble = pods.filter(isInTrouble).length;
  const ready = pods.filter((pod) => isSettled(pod) && !isInTrouble(pod)).length;
  const coming = pods.length - trouble - ready;
  const parts = [
    ...(trouble > 0 ? [style("red", `${trouble} in trouble`)] : []),
    ...(coming > 0 ? [style("yellow", `${coming} coming up`)] : []),
    style("green", `${ready} well`),
  ];
  const filter = state.filter === "" && !state.isTyping ? "" : `   filter: ${state.filter}${state.isTyping ? "_" : ""}`;
  return `${pods.length} pods: ${parts.join(", ")}${style("cyan", filter)}`;
}

/** The newest warnings and what the agent logged, the newest last. */
function belowLines({ pods, events, messages, style, now }: ScreenInput, room: number): readonly string[] {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const warnings = events
    .filter((event) => event.type === "Warning" && isStillOf(event, uids))
    .slice(-Math.min(MAX_WARNINGS, Math.max(0, room - 2)));
  const [head = "", ...rows] = warnings.length === 0 ? [] : rowsText(eventRows(warnings, now)).split("\n");
  const shownMessages = messages.slice(-Math.max(0, Math.min(3, room - rows.length - 2)));
  if (rows.length + shownMessages.length === 0 || room < 3) return [];
  return [
    "",
    ...(rows.length === 0 ? [] : [style("bold", head), ...rows]),
    ...shownMessages.map((line) => style("red", line)),
  ];
}

/** Not of a pod that is gone. */
function isStillOf({ involvedObject: { kind, uid = "" } }: Event, uids: ReadonlySet<string>): boolean {
  return kind !== "Pod" || uids.has(uid);
}

function textBody({ state, text, style }: ScreenInput, room: number): Picture {
  const { title, lines } = state.mode === "help" ? { title: "Keys", lines: HELP } : (text ?? { title: "", lines: [] });
  const page = Math.max(1, room - 1);
  const first = Math.min(state.scroll ?? Number.POSITIVE_INFINITY, Math.max(0, lines.length - page));
  const place =
    lines.length > page ? `   lines ${first + 1} to ${Math.min(lines.length, first + page)} of ${lines.length}` : "";
  return {
    lines: [style("bold", `${title}${place}`), ...lines.slice(first, first + page)],
    uids: [],
    page,
    length: lines.length,
  };
}

function statusLine({ notice, state, hasKeys, pods, style }: ScreenInput): string {
  if (notice !== undefined) return style("cyan", notice);
  if (!hasKeys)
    return `${pods.filter(isSettled).length} of ${pods.length} pods are ready or have ended. Ctrl-C stops them.`;
  if (state.isTyping) return style("dim", "Type a part of a name, namespace or status   Enter keep   Esc clear");
  return style("dim", state.mode === "pods" ? KEYS : TEXT_KEYS);
}

const HELP: readonly string[] = [
  "Up, Down, k, j     select a pod, or scroll a text",
  "PgUp, PgDn         a page; Home, g and End, G: to the beginning and the end",
  "Enter, d           describe the selected pod",
  "l                  its log, as it is written; Tab: of the next container",
  "e                  its events",
  "/                  show only pods with this text in name, namespace or status; Esc: all",
  "Ctrl-L             draw the screen anew",
  "q, Esc             back; among the pods q stops as Ctrl-C does",
  "Ctrl-C             stop the pods in order, then the agent; once more kills at once",
];

/** Cuts a line at the terminal's width; a painted line loses its paint then. */
function fit(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= columns ? line : `${plain.slice(0, Math.max(0, columns - 1))}…`;
}
