/** One picture of the live view, a text a row. Pure. */
import { stripVTControlCharacters } from "node:util";
import { rowsText } from "@hooklet/cli/extend";
import { eventRows } from "@hooklet/cli/print";
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { isSettled } from "../settled.js";
import type { Style } from "./paint.js";
import { isInTrouble, type LastLines, type PodLine, podLines, podsInOrder } from "./pod-lines.js";
import type { ViewState } from "./view-state.js";

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
  /** Of the text that is shown in place of the pods. */
  readonly text?: { readonly title: string; readonly lines: readonly string[] } | undefined;
  /** Where the agent is found. */
  readonly about: string;
  /** What a shell needs first so that `hooklet` finds this agent; undefined: nothing. */
  readonly exports?: string | undefined;
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
const KEYS = "/ filter  x explain  l log  d describe  y yaml  s shell  ? help  Ctrl-C stop";
const TEXT_KEYS = "PgUp/PgDn  w wrap  x explain  l log  d describe  y yaml  e events  q back";
/** Rows from which on a line about the next commands is shown. */
const ROOMY = 16;
const MAX_WARNINGS = 5;

export function screen(input: ScreenInput): Picture {
  const rows = Math.max(1, input.rows);
  const top = [input.about, ...(rows >= ROOMY ? nextLines(input).map((line) => input.style("dim", line)) : [])];
  const bottom = [statusLine(input)];
  const room = Math.max(0, rows - top.length - bottom.length);
  const body = input.state.mode === "pods" ? podBody(input, room) : textBody(input, room);
  const filled = [...body.lines, ...Array.from({ length: Math.max(0, room - body.lines.length) }, () => "")];
  const lines = rows < 3 ? bottom : [...top, ...filled.slice(0, room), ...bottom];
  return { ...body, lines: lines.slice(-rows).map((line) => fit(line, input.columns)) };
}

/** A line that users copy is not cut: where it is too long for the terminal, each variable has a line. */
function nextLines({ exports, columns }: ScreenInput): readonly string[] {
  if (exports === undefined) return [NEXT];
  const whole = `export ${exports}`;
  return [NEXT, ...(whole.length <= columns ? [whole] : exports.split(" ").map((one) => `export ${one}`))];
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
  const rows = state.wraps ? lines.flatMap((line) => wrappedLine(line, input.columns)) : lines;
  const shown = around(rows, selected, page);
  return { lines: [counts, head, ...shown, ...below], uids, page, length: rows.length };
}

/** The rows of a pod's line: its uid stands on the first. */
function wrappedLine({ uid, text }: PodLine, columns: number): readonly PodLine[] {
  return wrap(text, columns).map((row, at) => (at === 0 && uid !== undefined ? { uid, text: row } : { text: row }));
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
  const stopping = pods.filter((pod) => isStopping(pod) && !isInTrouble(pod)).length;
  const coming = pods.length - trouble - ready - stopping;
  const parts = [
    ...(trouble > 0 ? [style("red", `${trouble} in trouble`)] : []),
    ...(coming > 0 ? [style("yellow", `${coming} coming up`)] : []),
    ...(stopping > 0 ? [style("yellow", `${stopping} stopping`)] : []),
    style("green", `${ready} well`),
  ];
  const filter = state.filter === "" && !state.isTyping ? "" : `   filter: ${state.filter}${state.isTyping ? "_" : ""}`;
  return `${pods.length} ${pods.length === 1 ? "pod" : "pods"}: ${parts.join(", ")}${style("cyan", filter)}`;
}

function isStopping(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp != null && !isSettled(pod);
}

/** The newest warnings and what the agent logged, the newest last. */
function belowLines({ state, pods, events, messages, style, now }: ScreenInput, room: number): readonly string[] {
  if (room < 3) return [];
  const uids = new Set(podsInOrder(pods, state.filter).map(({ metadata }) => metadata.uid));
  const warnings = events
    .filter((event) => event.type === "Warning" && isStillOf(event, uids))
    .slice(-Math.min(MAX_WARNINGS, room - 2));
  const [head = "", ...rows] = warnings.length === 0 ? [] : rowsText(eventRows(warnings, now)).split("\n");
  const left = Math.min(3, room - rows.length - 2);
  // A slice from -0 on is all of them.
  const shownMessages = left === 0 ? [] : messages.slice(-left);
  if (rows.length + shownMessages.length === 0) return [];
  return [
    "",
    ...(rows.length === 0 ? [] : [style("bold", head), ...rows]),
    ...shownMessages.map((line) => style("red", line)),
  ];
}

/** Not of a pod that is gone or that the filter hides. */
function isStillOf({ involvedObject: { kind, uid = "" } }: Event, uids: ReadonlySet<string>): boolean {
  return kind !== "Pod" || uids.has(uid);
}

function textBody({ state, text, style, columns }: ScreenInput, room: number): Picture {
  const { title, lines: all } =
    state.mode === "help" ? { title: "Keys", lines: HELP } : (text ?? { title: "", lines: [] });
  const lines = state.wraps ? all.flatMap((line) => wrap(line, columns)) : all;
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
  "x                  explain it: why it is not Ready, and the next step",
  "y                  its YAML",
  "s                  a shell in its first container",
  "l                  its log, as it is written; Tab: of the next container",
  "e                  its events",
  "/                  show only pods with this text in name, namespace or status; Esc: all",
  "w                  wrap long lines, or cut them",
  "Ctrl-L             redraw the screen",
  "q, Esc             back to the pods",
  "Ctrl-C             stop the pods in order, then the agent; once more kills at once",
];

/** The rows of a line that is wider than the terminal, those after the first as far in as the line; unpainted. */
function wrap(line: string, columns: number): readonly string[] {
  const plain = stripVTControlCharacters(line);
  if (plain.length <= columns) return [line];
  const indent = /^\s*/.exec(plain)?.[0].slice(0, Math.floor(columns / 2)) ?? "";
  const rows = [plain.slice(0, columns)];
  const step = columns - indent.length;
  for (let at = columns; at < plain.length; at += step) rows.push(`${indent}${plain.slice(at, at + step)}`);
  return rows;
}

/** Cuts a line at the terminal's width; a painted line loses its paint then. */
function fit(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= columns ? line : `${plain.slice(0, Math.max(0, columns - 1))}…`;
}
