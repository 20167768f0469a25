/**
 * One subprocess that runs many operations concurrently, for work that may crash it. An operation that hangs has its own
 * deadline; for operations that may block a thread use `HelperPool`.
 */
import type { ChildProcess } from "node:child_process";
import { type Clock, hostUnavailable, type Timer } from "@hooklet/utils";
import { forkHelper } from "./helper-fork.js";
import { type HelperAnswer, HelperError, PROGRESS, READY } from "./helper-process.js";

/** Milliseconds from one start to the next, so that a process that crashes each time costs little. */
const BETWEEN_STARTS = 1_000;
/** Milliseconds that the process may take to start, on a machine that is busy. */
const START = 60_000;

export interface SharedHelperOptions {
  readonly clock: Clock;
  /** The module that the process runs: it calls `serveHelper`. */
  readonly module: URL;
  /** MiB of heap that it may have. */
  readonly heap: number;
  /** The process ended, or stopped answering; `how` is its signal or exit code. Called before the calls under way reject. */
  readonly onDeath?: (how: string) => void;
}

interface Call {
  readonly timer: Timer;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class SharedHelper {
  readonly #calls = new Map<number, Call>();
  #last = 0;
  #child: Promise<ChildProcess> | undefined;
  #process: ChildProcess | undefined;
  /** Monotonic milliseconds of the last start. */
  #started = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(private readonly options: SharedHelperOptions) {}

  /**
   * Rejects with `HelperError` when the operation threw, with HOST_UNAVAILABLE when the process ended meanwhile, could not be started,
   * or was silent for as long as `milliseconds`.
   */
  async call<Value>(operation: string, input: unknown, milliseconds: number): Promise<Value> {
    this.#child ??= this.#start();
    const child = await this.#child;
    // It may have ended after it was ready: it would never answer the call.
    if (child.exitCode !== null || child.signalCode !== null) throw gone("ended before it was asked");
    return new Promise<Value>((resolve, reject) => {
      const id = ++this.#last;
      const timer = this.options.clock.schedule(milliseconds, () => {
        // Its loop stands still: all others that it works for get no answer either.
        child.kill("SIGKILL");
        this.#died(child, `it was silent for ${milliseconds / 1000} s`);
      });
      this.#calls.set(id, { timer, resolve: resolve as (value: unknown) => void, reject });
      child.send({ id, operation, input }, (error) => {
        if (error !== null) this.#take(id)?.reject(gone(`takes no call: ${error.message}`));
      });
    });
  }

  close(): void {
    this.#closed = true;
    this.#process?.kill("SIGKILL");
  }

  async #start(): Promise<ChildProcess> {
    const { clock, module, heap } = this.options;
    try {
      const pause = this.#started + BETWEEN_STARTS - clock.monotonic();
      if (pause > 0) await new Promise<void>((resolve) => clock.schedule(pause, resolve));
      if (this.#closed) throw gone("is not started: the agent stops");
      this.#started = clock.monotonic();
      const child = forkHelper(module, [`--max-old-space-size=${heap}`, "--max-semi-space-size=1"]);
      this.#process = child;
      await this.#ready(child);
      child.on("message", (answer: HelperAnswer | typeof PROGRESS) => this.#answered(answer));
      return child;
    } catch (error) {
      this.#child = undefined;
      throw error;
    }
  }

  #ready(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.options.clock.schedule(START, () => child.kill("SIGKILL"));
      child.once("message", (word) => {
        timer.cancel();
        if (word === READY) resolve();
      });
      const ended = (how: string): void => {
        timer.cancel();
        reject(gone(`could not be started: ${how}`));
        this.#died(child, how);
      };
      child.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
      child.on("error", (error) => ended(error.message));
    });
  }

  #died(child: ChildProcess, how: string): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    this.#child = undefined;
    const ids = [...this.#calls.keys()];
    const calls = ids.flatMap((id) => this.#take(id) ?? []);
    if (!this.#closed) this.options.onDeath?.(how);
    for (const { reject } of calls) reject(gone(`ended (${how}) before it answered`));
  }

  #answered(answer: HelperAnswer | typeof PROGRESS): void {
    if (answer === PROGRESS || answer.id === undefined) return;
    const call = this.#take(answer.id);
    if (!("error" in answer)) call?.resolve(answer.value);
    else call?.reject(new HelperError(answer.error.name, answer.error.message, answer.error.code));
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    call?.timer.cancel();
    this.#calls.delete(id);
    return call;
  }
}

function gone(what: string): Error {
  return hostUnavailable(`The helper process ${what}`);
}
