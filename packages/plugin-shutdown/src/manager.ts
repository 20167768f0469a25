/** Holds the machine's shutdown up until the pods have ended in order; a shutdown that is called off is forgotten. */
import { errorText, type NodeContext, sleep, withDeadline } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import { longest, type Period } from "./groups.js";
import type { Lock, Logind } from "./logind.js";
import { detected, notReady } from "./messages.js";
import { stopAll } from "./stopper.js";

export interface ShutdownManagerParts {
  readonly ctx: Pick<NodeContext, "clock" | "events" | "log" | "node" | "pods">;
  readonly logind: Logind;
  readonly periods: readonly Period[];
  /** A shutdown has begun, or has been worked off; milliseconds since the epoch. */
  noted(what: "start" | "end", at: number): void;
}

/** Milliseconds: between two connections; between two checks for a missing logind; minimum age of a healthy connection. */
const RECONNECT = 1_000;
const ABSENT = 5 * 60_000;
const LASTING = 10_000;
/** Milliseconds after which a started listener receives all signals. */
const LISTENS = 2_000;
/** Number of checks whether logind has applied the longer delay, and milliseconds before the first; doubled each time. */
const LOOKS = 5;
const FIRST_LOOK = 100;
/** Milliseconds for which the start of the agent waits for the answer whether a shutdown is under way. */
const FIRST_ANSWER = 2_000;

export class ShutdownManager {
  #goingDown = false;
  /** The answer from before the listener started; valid until the next answer. */
  #foreseen = false;
  #lock: Lock | undefined;
  /** Of the shutdown under way. */
  #stopping: AbortController | undefined;
  #trouble: string | undefined = "it has not begun to listen yet";

  constructor(private readonly parts: ShutdownManagerParts) {}

  get isGoingDown(): boolean {
    return this.#goingDown || this.#foreseen;
  }

  /** Why no shutdown would be held up; undefined: it would be. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Asks once whether a shutdown is under way, before pods start. If logind does not answer soon, `run` asks again and reports it. */
  async lookFirst(): Promise<void> {
    const { ctx, logind } = this.parts;
    const late = (): Error => new Error(`logind did not answer within ${FIRST_ANSWER} ms`);
    this.#foreseen = await withDeadline(ctx.clock, FIRST_ANSWER, logind.isGoingDown(), late).catch(() => false);
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.parts.ctx;
    let reported: string | undefined;
    let wait = RECONNECT;
    while (!signal.aborted) {
      const began = clock.monotonic();
      try {
        await this.#listen(signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#trouble = errorText(error);
        // Once, and again when it is another trouble.
        if (reported !== this.#trouble) log.warn(`no shutdown of the machine is held up for pods: ${this.#trouble}`);
        reported = this.#trouble;
      }
      // In the middle of a shutdown the lock stays until the pods have ended: they are stopped without the bus.
      if (!this.#goingDown) this.#letGo();
      // One that breaks again and again is as a rule not there at all.
      wait = clock.monotonic() - began > LASTING ? RECONNECT : Math.min(ABSENT, wait * 2);
      await pause(clock, wait, signal);
    }
    this.#letGo();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { logind, periods } = this.parts;
    await this.#ask(longest(periods), signal);
    const ended = new AbortController();
    const cut = AbortSignal.any([signal, ended.signal]);
    // During a shutdown logind grants no lock: the shutdown is handled without one.
    if (!this.#goingDown && !(await logind.isGoingDown())) await this.#hold(ended);
    this.#trouble = undefined;
    let looking: Promise<void> = Promise.resolve();
    const check = (): void => {
      looking = looking.then(() => this.#look(signal, ended)).catch((error: unknown) => ended.abort(error));
    };
    // Asked at once, and again when the listener receives everything: a shutdown that began before sent no signal to it.
    const watching = logind.watch(check, cut);
    check();
    void sleep(this.parts.ctx.clock, LISTENS, cut).then(check, () => undefined);
    try {
      await watching;
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      ended.abort();
    }
  }

  /** Has logind wait for as long as the pods need. */
  async #ask(seconds: number, signal: AbortSignal): Promise<void> {
    const { ctx, logind } = this.parts;
    let now = await logind.longestDelay();
    if (now >= seconds) return;
    await logind.setLongestDelay(seconds);
    for (let attempt = 0; attempt < LOOKS && now < seconds; attempt += 1) {
      await sleep(ctx.clock, FIRST_LOOK * 2 ** attempt, signal);
      now = await logind.longestDelay();
    }
    if (now >= seconds) return;
    throw new Error(
      `node shutdown manager was timed out after ${LOOKS} attempts waiting for logind InhibitDelayMaxSec to update to ${seconds}s (ShutdownGracePeriod), current value is ${now}s`,
    );
  }

  /** Holds the next shutdown up. A lock that goes by itself ends the connection. */
  async #hold(ended: AbortController): Promise<void> {
    const lock = await this.parts.logind.inhibit();
    // The lock came after the connection had ended: the next connection takes its own lock, so this one must be released.
    if (ended.signal.aborted) {
      lock.release();
      return;
    }
    this.#lock = lock;
    void lock.gone.then(() => {
      if (this.#lock === lock && !this.#goingDown) ended.abort(new Error("the lock that holds a shutdown up is gone"));
    });
  }

  /** `signal`: the agent's own. Stopping continues when the connection that reported the shutdown ends. */
  async #look(signal: AbortSignal, ended: AbortController): Promise<void> {
    const { ctx, logind } = this.parts;
    const isGoingDown = await logind.isGoingDown();
    this.#foreseen = false;
    if (isGoingDown === this.#goingDown) {
      // One that was called off before it was seen has left no lock.
      if (!isGoingDown && this.#lock === undefined && !ended.signal.aborted) await this.#hold(ended);
      return;
    }
    this.#goingDown = isGoingDown;
    ctx.events.node("Normal", "Shutdown", detected(isGoingDown));
    ctx.node.setCondition("Ready", isGoingDown ? notReady : undefined);
    if (!isGoingDown) {
      // What is being stopped already ends; the rest stays, and the next shutdown is held up as this one was.
      this.#stopping?.abort();
      this.#letGo();
      await this.#hold(ended);
      return;
    }
    this.#stopping = new AbortController();
    this.#stop(AbortSignal.any([signal, this.#stopping.signal])).catch((error: unknown) =>
      ctx.log.error(`shutdown: ${errorText(error)}`),
    );
  }

  async #stop(signal: AbortSignal): Promise<void> {
    const { ctx, noted, periods } = this.parts;
    const lock = this.#lock;
    noted("start", ctx.clock.now());
    try {
      await stopAll({ clock: ctx.clock, log: ctx.log, pods: ctx.pods, periods }, signal);
    } finally {
      // One that was called off, or whose agent ended in the middle, was not worked off.
      if (!signal.aborted) noted("end", ctx.clock.now());
      lock?.release();
    }
  }

  #letGo(): void {
    const lock = this.#lock;
    this.#lock = undefined;
    lock?.release();
  }
}
