/** The live view of `hooklet run` on a terminal: a screen of its own, keys, and a summary that stays behind. */
import { emitKeypressEvents } from "node:readline";
import { colours, type Io } from "@hooklet/cli/extend";
import { podTable, severalNamespaces } from "@hooklet/cli/print";
import { type AgentApi, AUDIT_REASON } from "@hooklet/core/host";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { errorText, formatDuration, type Timer } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import { LastLineReader, lastLogLinesInside } from "./last-log-lines.js";
import { beginScreen, endScreen, paint, styling } from "./view/paint.js";
import { podsInOrder } from "./view/pod-lines.js";
import { type Picture, screen } from "./view/screen.js";
import { Texts } from "./view/text.js";
import { firstState, type Key, press, type ViewState } from "./view/view-state.js";

/** Ages grow by the second. */
const QUIET_MILLISECONDS = 1_000;
/** Changes that come together are drawn once. */
const DRAW_AFTER_MILLISECONDS = 100;
const MAX_EVENTS = 200;
const MAX_MESSAGES = 100;

export interface LiveViewParts {
  readonly io: Io;
  readonly api: AgentApi;
  /** Where the agent is found: the first line. */
  readonly about: string;
  /** What a shell needs first so that `hooklet` finds this agent. */
  readonly exports?: string | undefined;
  /** A shell in a pod, on this terminal; rejects with why there is none. Left out: there is none. */
  shell?(pod: Pod): Promise<void>;
  /** The user pressed Ctrl-C, which a terminal in raw mode does not turn into a signal. */
  interrupt(): void;
}

export class LiveView {
  readonly #parts: LiveViewParts;
  readonly #endings: (() => void)[] = [];
  readonly #events: Event[] = [];
  readonly #messages: string[] = [];
  readonly #texts: Texts;
  readonly #lastLines: LastLineReader;
  #state: ViewState = firstState;
  #drawn: readonly string[] | undefined;
  #shown: Picture = { lines: [], uids: [], page: 1, length: 0 };
  #timer: Timer | undefined;
  #due = Number.POSITIVE_INFINITY;
  #leaveKeys: (() => void) | undefined;
  #notice: string | undefined;
  #summary: string | undefined;
  #began = 0;
  #stopped = false;
  /** A shell has the terminal. */
  #isAway = false;

  constructor(parts: LiveViewParts) {
    this.#parts = parts;
    const { api, io } = parts;
    this.#texts = new Texts(api, io.clock, () => this.#soon(DRAW_AFTER_MILLISECONDS));
    this.#lastLines = new LastLineReader(lastLogLinesInside(api, io.clock), () => this.#soon(DRAW_AFTER_MILLISECONDS));
  }

  start(): void {
    const { io, api } = this.#parts;
    this.#began = io.clock.monotonic();
    io.stdout.write(beginScreen);
    const resized = (): void => {
      this.#drawn = undefined;
      this.#draw();
    };
    io.stdout.on("resize", resized);
    for (const event of api.events()) this.#heard(event);
    this.#endings.push(
      () => io.stdout.off("resize", resized),
      api.watchPods(() => this.#soon(DRAW_AFTER_MILLISECONDS)),
      api.watchEvents((event) => this.#heard(event)),
      () => this.#leaveKeys?.(),
    );
    this.#leaveKeys = this.#readKeys();
    this.#draw();
  }

  /** Keeps the pods as they are now for the summary: they are about to be stopped. */
  remember(): void {
    this.#summary ??= this.#table();
  }

  /** Shows what is being waited for in place of the keys. */
  set notice(text: string | undefined) {
    this.#notice = text;
    if (!this.#stopped) this.#draw();
  }

  /** A piece of the agent's log: shown below the pods, and again once the screen is the reader's. */
  print(text: string): void {
    if (this.#stopped) {
      this.#parts.io.stderr.write(text);
      return;
    }
    if (text.trim() === "") return;
    this.#messages.push(text.trimEnd());
    this.#messages.splice(0, Math.max(0, this.#messages.length - MAX_MESSAGES));
    this.#soon(DRAW_AFTER_MILLISECONDS);
  }

  /** Gives the terminal back, and leaves the pods behind as they were before they were stopped. May be called twice. */
  stop({ summary = true, closing }: { readonly summary?: boolean; readonly closing?: string } = {}): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    this.#texts.stop();
    for (const end of this.#endings) end();
    const { io } = this.#parts;
    io.stdout.write(endScreen);
    for (const message of this.#messages) io.stderr.write(`${message}\n`);
    if (!summary) return;
    const ran = formatDuration(Math.round((io.clock.monotonic() - this.#began) / 1000));
    io.stdout.write(`${this.#parts.about}\nran for ${ran} with these pods:\n${this.#summary ?? this.#table()}\n`);
    if (closing !== undefined) io.stdout.write(`${closing}\n`);
  }

  #table(): string {
    const pods = this.#parts.api.pods();
    if (pods.length === 0) return "No pods.";
    return podTable(pods, { wide: false, namespaces: severalNamespaces(pods), now: this.#parts.io.clock.now() });
  }

  #heard(event: Event): void {
    // What commands did, the reader's own or another's: each has said it to who gave it. `hooklet events` has them all.
    if (event.reason === AUDIT_REASON) return;
    // A repeated event counts up: it replaces its earlier line.
    const { name } = event.metadata;
    const before = name === undefined ? -1 : this.#events.findIndex(({ metadata }) => metadata.name === name);
    if (before >= 0) this.#events.splice(before, 1);
    this.#events.push(event);
    this.#events.splice(0, Math.max(0, this.#events.length - MAX_EVENTS));
    this.#soon(DRAW_AFTER_MILLISECONDS);
  }

  #readKeys(): () => void {
    const { io } = this.#parts;
    const { stdin } = io;
    if (stdin.isTTY !== true || stdin.setRawMode === undefined) return () => undefined;
    stdin.setRawMode(true);
    // A `q` of the minute in which all was built is not meant for what is only now seen.
    io.dropTyped();
    emitKeypressEvents(stdin as unknown as NodeJS.ReadableStream);
    const pressed = (_: string | undefined, key: Key): void => this.#press(key);
    stdin.on("keypress", pressed);
    stdin.resume?.();
    return () => {
      stdin.off("keypress", pressed);
      stdin.setRawMode?.(false);
      stdin.pause();
    };
  }

  #press(key: Key): void {
    const result = press(this.#state, key, this.#shown);
    if (result === "stop") this.#parts.interrupt();
    else if (result === "shell") void this.#shell();
    else if (result === "redraw") this.#drawn = undefined;
    else this.#state = result;
    this.#draw();
  }

  /** The terminal is the shell's until it ends. */
  async #shell(): Promise<void> {
    const { io, api, shell } = this.#parts;
    const pod = this.#selected(api.pods());
    if (shell === undefined || pod === undefined || this.#isAway) return;
    this.#isAway = true;
    this.#leaveKeys?.();
    io.stdout.write(`${endScreen}Shell in pod ${namespacedName(pod.metadata)}; exit leads back to the view.\n`);
    try {
      await shell(pod);
    } catch (error) {
      this.print(`shell in pod ${pod.metadata.name}: ${errorText(error)}`);
    }
    this.#isAway = false;
    if (this.#stopped) return;
    io.stdout.write(beginScreen);
    this.#leaveKeys = this.#readKeys();
    this.#drawn = undefined;
    this.#draw();
  }

  /** The selected pod. */
  #selected(pods: readonly Pod[]): Pod | undefined {
    const { selected, filter, mode } = this.#state;
    const inSight = podsInOrder(pods, filter);
    const among = mode === "pods" ? inSight : pods;
    const found = among.find(({ metadata }) => metadata.uid === selected);
    return found ?? (mode === "pods" || selected === undefined ? inSight[0] : undefined);
  }

  #soon(milliseconds: number): void {
    const { clock } = this.#parts.io;
    const due = clock.monotonic() + milliseconds;
    if (this.#stopped || due >= this.#due) return;
    this.#timer?.cancel();
    this.#due = due;
    this.#timer = clock.schedule(milliseconds, () => this.#draw());
  }

  #draw(): void {
    if (this.#stopped || this.#isAway) return;
    this.#due = Number.POSITIVE_INFINITY;
    this.#timer?.cancel();
    const { io, api, about, exports } = this.#parts;
    const { stdout, stdin, env, clock } = io;
    // The terminal is not read: it is drawn when it is read again.
    if (stdout.writableNeedDrain) {
      this.#soon(QUIET_MILLISECONDS);
      return;
    }
    const pods = api.pods();
    this.#lastLines.look(pods);
    const text = this.#texts.of(this.#state, this.#selected(pods), this.#events, this.#lastLines.lines);
    this.#shown = screen({
      state: this.#state,
      pods,
      events: this.#events,
      // What follows the first line, such as a stack, is there when the screen is the reader's again.
      messages: this.#messages.filter(isNews).map((message) => message.split("\n", 1)[0] ?? ""),
      lastLines: this.#lastLines.lines,
      text,
      about,
      exports,
      notice: this.#notice,
      hasKeys: stdin.isTTY === true,
      columns: stdout.columns ?? 80,
      rows: stdout.rows ?? 24,
      style: styling(colours(stdout, env)),
      now: clock.now(),
    });
    const changes = paint(this.#drawn, this.#shown.lines);
    this.#drawn = this.#shown.lines;
    if (changes !== "") stdout.write(changes);
    this.#soon(QUIET_MILLISECONDS);
  }
}

/** Results of commands are no news to the user who gave them; the log has them. */
function isNews(message: string): boolean {
  return !/\bINFO: audit: /.test(message);
}
