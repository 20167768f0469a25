/** The live table of `hooklet run` on a terminal. */

import type { Timer } from "@hooklet/core/base";
import type { AgentApi } from "@hooklet/core/host";
import type { Event } from "kubernetes-types/core/v1.js";
import { createLogUpdate } from "log-update";
import { colours, type Io } from "../io.js";
import { frame } from "./frame.js";
import { isSettled } from "./settled.js";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
/** The progress mark turns while pods come up; afterwards only ages change. */
const BUSY_MILLISECONDS = 100;
const QUIET_MILLISECONDS = 1000;
/** Changes that come together are drawn once. */
const DRAW_AFTER_MILLISECONDS = 40;

export class LiveTable {
  readonly #draw: ReturnType<typeof createLogUpdate>;
  readonly #endings: (() => void)[] = [];
  readonly #events: Event[] = [];
  #timer: Timer | undefined;
  #tick = 0;
  #notice: string | undefined;
  #stopped = false;

  constructor(
    private readonly io: Io,
    private readonly api: AgentApi,
  ) {
    this.#draw = createLogUpdate(io.stdout as NodeJS.WriteStream, { showCursor: true });
  }

  start(): void {
    const { stdout } = this.io;
    stdout.write(HIDE_CURSOR);
    const resized = (): void => {
      this.#draw.clear();
      this.#render();
    };
    stdout.on("resize", resized);
    this.#events.push(...this.api.events().slice(-50));
    this.#endings.push(
      () => stdout.off("resize", resized),
      this.api.watchPods(() => this.#soon(DRAW_AFTER_MILLISECONDS)),
      this.api.watchEvents((event) => {
        this.#events.push(event);
        if (this.#events.length > 50) this.#events.shift();
        this.#soon(DRAW_AFTER_MILLISECONDS);
      }),
    );
    this.#render();
  }

  /** Shows what is being waited for in place of the progress of the pods. */
  set notice(text: string | undefined) {
    this.#notice = text;
    if (!this.#stopped) this.#render();
  }

  /** Writes text above the table. */
  print(text: string): void {
    if (this.#stopped) {
      this.io.stderr.write(text);
      return;
    }
    this.#draw.clear();
    this.io.stderr.write(text);
    this.#render();
  }

  /** Takes the table away and gives the cursor back. May be called twice. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    for (const end of this.#endings) end();
    this.#draw.clear();
    this.io.stdout.write(SHOW_CURSOR);
  }

  #due = Number.POSITIVE_INFINITY;

  #soon(milliseconds: number): void {
    const due = this.io.clock.monotonic() + milliseconds;
    if (this.#stopped || due >= this.#due) return;
    this.#timer?.cancel();
    this.#due = due;
    this.#timer = this.io.clock.schedule(milliseconds, () => this.#render());
  }

  #render(): void {
    this.#due = Number.POSITIVE_INFINITY;
    const { stdout, env, clock } = this.io;
    const pods = this.api.pods();
    this.#draw(
      frame({
        pods,
        events: this.#events,
        columns: stdout.columns ?? 80,
        rows: stdout.rows ?? 24,
        colour: colours(stdout, env),
        now: clock.now(),
        tick: this.#tick++,
        ...(this.#notice === undefined ? {} : { notice: this.#notice }),
      }),
    );
    const busy = this.#notice !== undefined || !pods.every(isSettled);
    this.#soon(busy ? BUSY_MILLISECONDS : QUIET_MILLISECONDS);
  }
}
