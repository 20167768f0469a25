/** What the live view shows, and what a key does to it. Pure. */

export type Mode = "pods" | "log" | "describe" | "explain" | "yaml" | "events" | "help";

export interface ViewState {
  readonly mode: Mode;
  /** Uid of the selected pod; undefined: the first one. */
  readonly selected?: string;
  readonly filter: string;
  /** Keys go into the filter. */
  readonly isTyping: boolean;
  /** Lines of a text that are above the screen; undefined: its end stays in sight. */
  readonly scroll?: number;
  /** Long lines go on in the next row instead of being cut. */
  readonly wraps?: boolean;
  /** Which container's log, counted from the first one. */
  readonly container: number;
}

export const firstState: ViewState = { mode: "pods", filter: "", isTyping: false, container: 0 };

/** As node:readline tells it. */
export interface Key {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
}

/** What is on the screen now. */
export interface Shown {
  /** Uids in the order of the table. */
  readonly uids: readonly string[];
  /** Lines that a page has. */
  readonly page: number;
  /** Lines that the text below has, beside the pods. */
  readonly length: number;
}

/** What a key asks for: another look, a stop of everything, a screen that is redrawn, or a shell in the selected pod. */
export type Pressed = ViewState | "stop" | "redraw" | "shell";

/** By letter, for pods and texts alike. */
const TEXTS: ReadonlyMap<string, Mode> = new Map([
  ["l", "log"],
  ["d", "describe"],
  ["x", "explain"],
  ["y", "yaml"],
  ["e", "events"],
]);
/** Read from their beginning; the others grow at their end. */
const FROM_THE_TOP: readonly Mode[] = ["describe", "explain", "yaml"];

export function press(state: ViewState, key: Key, shown: Shown): Pressed {
  if (key.ctrl === true && key.name === "c") return "stop";
  if (key.ctrl === true && key.name === "l") return "redraw";
  if (state.isTyping) return typed(state, key);
  const { sequence = "", name = "" } = key;
  if (sequence === "w") return { ...state, wraps: state.wraps !== true };
  if (sequence === "s" && state.mode !== "help") return "shell";
  if (state.mode !== "pods") return inText(state, name, sequence, shown);
  const moved = moveOf(name, sequence, shown.page);
  if (moved !== undefined) return select(state, moved, shown);
  const mode = TEXTS.get(sequence);
  if (mode !== undefined) return open(state, mode, shown);
  switch (sequence === "" ? name : sequence) {
    case "/":
      return { ...state, isTyping: true };
    case "?":
    case "h":
      return { ...state, mode: "help", scroll: 0 };
    default:
      if (name === "return") return open(state, "describe", shown);
      return name === "escape" ? { ...state, filter: "" } : state;
  }
}

function typed(state: ViewState, { name = "", sequence = "", ctrl = false }: Key): ViewState {
  if (name === "return") return { ...state, isTyping: false };
  if (name === "escape") return { ...state, isTyping: false, filter: "" };
  if (name === "backspace") return { ...state, filter: state.filter.slice(0, -1) };
  const isText = !ctrl && sequence.length === 1 && sequence >= " " && sequence !== "\u007f";
  return isText && state.filter.length < 60 ? { ...state, filter: state.filter + sequence } : state;
}

function open(state: ViewState, mode: Mode, { uids }: Shown): ViewState {
  const { scroll: _, ...rest } = state;
  // The pod that the screen marks: a filter may hide the one that was selected.
  const isHidden = uids.length > 0 && !uids.includes(state.selected ?? "");
  const selected = isHidden ? uids[0] : state.selected;
  const from = FROM_THE_TOP.includes(mode) ? { scroll: 0 } : {};
  return { ...rest, mode, container: 0, ...(selected !== undefined && { selected }), ...from };
}

/** How many lines up or down; undefined: no key that moves. */
function moveOf(name: string, sequence: string, page: number): number | undefined {
  if (name === "up" || sequence === "k") return -1;
  if (name === "down" || sequence === "j") return 1;
  if (name === "pageup") return -page;
  if (name === "pagedown" || name === "space") return page;
  if (name === "home" || sequence === "g") return Number.NEGATIVE_INFINITY;
  if (name === "end" || sequence === "G") return Number.POSITIVE_INFINITY;
  return undefined;
}

function select(state: ViewState, by: number, { uids }: Shown): ViewState {
  const now = Math.max(0, uids.indexOf(state.selected ?? ""));
  const selected = uids[Math.min(uids.length - 1, Math.max(0, now + by))];
  return selected === undefined ? state : { ...state, selected };
}

function inText(state: ViewState, name: string, sequence: string, shown: Shown): Pressed {
  const moved = moveOf(name, sequence, shown.page);
  if (moved !== undefined) return scrolled(state, moved, shown);
  if (name === "escape" || name === "left" || sequence === "q") return leave(state);
  if (name === "tab" && state.mode === "log") return leaveScroll({ ...state, container: state.container + 1 });
  const mode = TEXTS.get(sequence);
  return mode === undefined ? state : open(state, mode, shown);
}

function leave(state: ViewState): ViewState {
  return leaveScroll({ ...state, mode: "pods" });
}

function leaveScroll({ scroll: _, ...state }: ViewState): ViewState {
  return state;
}

/** Who comes to the end stays there with what follows. */
function scrolled(state: ViewState, by: number, { length, page }: Shown): ViewState {
  const last = Math.max(0, length - page);
  const to = Math.max(0, (state.scroll ?? last) + by);
  if (to >= last && ![...FROM_THE_TOP, "help"].includes(state.mode)) return leaveScroll(state);
  return { ...state, scroll: Math.min(to, last) };
}
