/**
 * Processes that touch what may hang: a path of a volume whose server or disk is gone. A call that hangs costs its helper, never a
 * thread of the agent.
 */
import type { ChildProcess } from "node:child_process";
import { type Clock, hostUnavailable, Semaphore, type Timer } from "@hooklet/utils";
import { hangsTogether } from "../files/mounts.js";
import { forkHelper } from "./helper-fork.js";
import { type HelperAnswer, type HelperCall, HelperError, PROGRESS } from "./helper-process.js";

/** Milliseconds that a call may take. */
const DEADLINE = 10_000;
/** Milliseconds that a helper may take to start, on a machine that is busy. */
const START = 60_000;
/** Milliseconds before a file system that did not answer is called again. */
const QUIET = 30_000;
/** Calls at the same time; the others wait. */
const AT_ONCE = 8;
/** Calls at the same time of those that did not answer the last time. */
const SUSPECTS_AT_ONCE = 2;
/** Milliseconds that a helper without work is kept. */
const IDLE = 60_000;
/** Helpers without work that are kept so long; further ones go sooner. */
const MOST_IDLE = 2;
/** Milliseconds. */
const IDLE_AND_MANY = 5_000;

export interface HelperPoolOptions {
  readonly clock: Clock;
  /** The module that a helper runs: it calls `serveHelper`. */
  readonly module: URL;
  /** Milliseconds. */
  readonly deadline?: number;
  readonly quiet?: number;
}

export class HelperPool {
  readonly #idle: { readonly child: ChildProcess; readonly timer: Timer }[] = [];
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #suspectSlots = new Semaphore(SUSPECTS_AT_ONCE);
  /** Calls that have a slot and no helper yet. */
  readonly #waiting: { give(child: ChildProcess): void; fail(error: Error): void }[] = [];
  #starting = false;
  /** Silent keys -> since when (monotonic milliseconds), and whether their helper still hangs. */
  readonly #silent = new Map<string, { readonly since: number; stuck: boolean }>();
  readonly #all = new Set<ChildProcess>();
  /** Calls under way by key: one at a time, so that a dead server holds one helper. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(private readonly options: HelperPoolOptions) {}

  /**
   * Calls on one mount (or of one `together`) run one after the other. Rejects with `HelperError`, or with HOST_UNAVAILABLE when
   * the helper is silent for as long as the deadline: then all calls on the same mount are refused at once for a while, so
   * that pods of one dead server do not use up all helpers. After that, it shares two helpers with all other silent mounts.
   * @param together key of calls that hang together; default: the path's mount
   */
  async call<Value>(operation: string, input: unknown, path: string, together?: string): Promise<Value> {
    const key = together ?? hangsTogether(path);
    const before = this.#asked.get(key) ?? Promise.resolve();
    const call = before.then(() => this.#inSlot(key, path, () => this.#inTurn<Value>(operation, input, key, path)));
    const over = call.then(
      () => undefined,
      () => undefined,
    );
    this.#asked.set(key, over);
    void over.then(() => {
      if (this.#asked.get(key) === over) this.#asked.delete(key);
    });
    return call;
  }

  async #inSlot<Value>(key: string, path: string, work: () => Promise<Value>): Promise<Value> {
    this.#refuseSilent(key, path);
    if (!this.#silent.has(key)) return this.#slots.run(work);
    return this.#suspectSlots.run(() => this.#slots.run(work));
  }

  async #inTurn<Value>(operation: string, input: unknown, key: string, path: string): Promise<Value> {
    const child = await this.#take();
    try {
      const value = (await this.#ask(child, { operation, input }, key, path)) as Value;
      this.#silent.delete(key);
      return value;
    } catch (error) {
      if (error instanceof HelperError) this.#silent.delete(key);
      throw error;
    } finally {
      this.#giveBack(child);
    }
  }

  /** Ends all helpers; one that hangs goes when what it waits for does. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#idle.splice(0)) timer.cancel();
    for (const { fail } of this.#waiting.splice(0)) fail(stopped());
    for (const child of this.#all) child.kill("SIGKILL");
  }

  #refuseSilent(key: string, path: string): void {
    const silent = this.#silent.get(key);
    if (silent === undefined) return;
    const { clock, quiet = QUIET } = this.options;
    if (silent.stuck || clock.monotonic() - silent.since < quiet) throw noAnswer(path, "it is not asked again yet");
  }

  #ask(child: ChildProcess, call: HelperCall, key: string, path: string): Promise<unknown> {
    const { clock, deadline = DEADLINE } = this.options;
    return new Promise((resolve, reject) => {
      const late = (): void => {
        const silent = { since: clock.monotonic(), stuck: true };
        this.#silent.set(key, silent);
        child.once("exit", () => {
          silent.stuck = false;
        });
        child.kill("SIGKILL");
        done(() => reject(noAnswer(path, `expected an answer within ${deadline / 1000} s`)));
      };
      let timer = clock.schedule(deadline, late);
      const onMessage = (answer: HelperAnswer | typeof PROGRESS): void => {
        if (answer === PROGRESS) {
          timer.cancel();
          timer = clock.schedule(deadline, late);
          return;
        }
        done(() => {
          if (!("error" in answer)) return resolve(answer.value);
          const { name, message, code } = answer.error;
          reject(new HelperError(name, message, code));
        });
      };
      const onGone = (): void =>
        done(() => reject(hostUnavailable(`The helper process that looked at ${path} ended before it answered`)));
      const done = (settle: () => void): void => {
        timer.cancel();
        child.off("message", onMessage).off("exit", onGone).off("error", onGone);
        settle();
      };
      child.on("message", onMessage).on("exit", onGone).on("error", onGone);
      child.send(call, (error) => {
        if (error !== null) onGone();
      });
    });
  }

  async #take(): Promise<ChildProcess> {
    if (this.#closed) throw stopped();
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      idle.timer.cancel();
      if (isUsable(idle.child)) return idle.child;
    }
    const given = new Promise<ChildProcess>((give, fail) => this.#waiting.push({ give, fail }));
    this.#grow();
    return given;
  }

  /** Starts one helper after the other, while calls wait: most calls end sooner than a further helper starts. */
  #grow(): void {
    if (this.#starting || this.#waiting.length === 0 || this.#closed) return;
    this.#starting = true;
    this.#startOne()
      .then(
        (child) => this.#giveBack(child),
        (error: Error) => this.#waiting.shift()?.fail(error),
      )
      .finally(() => {
        this.#starting = false;
        this.#grow();
      });
  }

  async #startOne(): Promise<ChildProcess> {
    const child = forkHelper(this.options.module);
    this.#all.add(child);
    child.once("exit", () => this.#all.delete(child));
    // The callers get the error; without a listener it would end the agent.
    child.on("error", () => this.#all.delete(child));
    await this.#started(child);
    return child;
  }

  #started(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        timer.cancel();
        child.kill("SIGKILL");
        reject(hostUnavailable("A helper process, which looks at volumes in the agent's place, could not be started"));
      };
      const timer = this.options.clock.schedule(START, fail);
      child.once("exit", fail).once("error", fail);
      child.once("message", () => {
        timer.cancel();
        child.off("exit", fail).off("error", fail);
        resolve();
      });
    });
  }

  #giveBack(child: ChildProcess): void {
    if (this.#closed || !isUsable(child)) {
      child.kill("SIGKILL");
      this.#grow();
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.give(child);
      return;
    }
    const timer = this.options.clock.schedule(this.#idle.length < MOST_IDLE ? IDLE : IDLE_AND_MANY, () => {
      const at = this.#idle.findIndex((idle) => idle.child === child);
      if (at >= 0) this.#idle.splice(at, 1);
      child.kill("SIGKILL");
    });
    this.#idle.push({ child, timer });
  }
}

function isUsable(child: ChildProcess): boolean {
  return !child.killed && child.connected && child.exitCode === null;
}

function stopped(): Error {
  return hostUnavailable("Helper processes are no longer started: the agent stops");
}

function noAnswer(path: string, what: string): Error {
  return hostUnavailable(
    `The file system of ${path} does not answer: ${what}; a network or FUSE file system whose server is gone hangs so`,
  );
}
