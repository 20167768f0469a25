/**
 * Which pods are being handled, on disk from moment to moment: an agent that the kernel kills for its memory, or that V8 aborts, tells
 * nobody, and the next one reads here over which pods it may have died. Nothing is synced: what is written outlives the process, and
 * after a boot of the machine it counts no more.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { Clock, Timer } from "../clock.js";

/** Bytes: a word, a uid of at most 64 characters, blanks, a line break. */
const SLOT = 80;
/** Lines that are read: far more than a node has pods. */
const MAX_LINES = 8192;
/** Milliseconds after which who is still handled waits for something, and is not what the agent dies over. */
const LONGEST = 30_000;
const LINE = /^(?<word>at|well) (?<uid>[A-Za-z0-9-]{1,64})$/;

/** What an agent left that did not end in order. */
export interface LeftUnderWay {
  /** Uids of the pods that it was handling. */
  readonly over: readonly string[];
  /** Of those that were suspected before: handled, and it lived on. */
  readonly well: readonly string[];
}

export interface UnderWayPorts {
  readonly clock: Clock;
  /** Differs after each boot of the machine. */
  readonly boot: string;
  report(where: string, error: unknown): void;
}

/** What is in the file of an earlier agent. Lines that are none are left out. Pure. */
export function leftUnderWay(text: string, boot: string): LeftUnderWay {
  const [first = "", ...lines] = text.split("\n", MAX_LINES).map((line) => line.trimEnd());
  if (first !== boot) return { over: [], well: [] };
  const found = lines.map((line) => LINE.exec(line)?.groups);
  const uids = (word: string): Set<string> =>
    new Set(found.flatMap((groups) => (groups?.word === word && groups.uid !== undefined ? groups.uid : [])));
  const over = uids("at");
  return { over: [...over], well: [...uids("well")].filter((uid) => !over.has(uid)) };
}

interface Handled {
  depth: number;
  /** Undefined once it has taken long. */
  slot: number | undefined;
  readonly timer: Timer;
}

/** Own, two writes of 80 bytes into the page cache for each piece of work. One that fails is told once; then nothing is recorded. */
export class UnderWay {
  readonly left: LeftUnderWay;
  readonly #handled = new Map<string, Handled>();
  readonly #well = new Set<string>();
  readonly #free: number[] = [];
  #slots = 1;
  #file: number | undefined;

  constructor(
    path: string,
    private readonly ports: UnderWayPorts,
  ) {
    let text = "";
    try {
      const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
      this.#file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
      text = textOf(this.#file);
      ftruncateSync(this.#file);
    } catch (error) {
      this.#failed(error);
    }
    this.left = leftUnderWay(text, ports.boot);
    this.#write(0, ports.boot);
  }

  /** The pod's handling begins; the result is to be called at its end, once. Within each other they count as one. */
  readonly begin = (uid: string): (() => void) => {
    const known = this.#handled.get(uid);
    if (known !== undefined) known.depth += 1;
    else this.#handled.set(uid, { depth: 1, slot: this.#take(`at ${uid}`), timer: this.#later(uid) });
    return () => this.#end(uid);
  };

  /** A pod that was suspected is handled, and the agent lives. */
  well(uid: string): void {
    if (this.#well.has(uid)) return;
    this.#well.add(uid);
    this.#take(`well ${uid}`);
  }

  /** Of this life of the agent. */
  get wellNow(): readonly string[] {
    return [...this.#well];
  }

  /** The agent ends, in order or with a word of its own: nothing is left to be read. */
  close(): void {
    for (const { timer } of this.#handled.values()) timer.cancel();
    if (this.#file === undefined) return;
    try {
      ftruncateSync(this.#file);
    } catch (error) {
      this.#failed(error);
    }
    this.#drop();
  }

  #end(uid: string): void {
    const known = this.#handled.get(uid);
    if (known === undefined) return;
    known.depth -= 1;
    if (known.depth > 0) return;
    known.timer.cancel();
    this.#handled.delete(uid);
    this.#release(known);
  }

  #later(uid: string): Timer {
    return this.ports.clock.schedule(LONGEST, () => {
      const known = this.#handled.get(uid);
      if (known !== undefined) this.#release(known);
    });
  }

  #release(handled: Handled): void {
    if (handled.slot === undefined) return;
    this.#write(handled.slot, "");
    this.#free.push(handled.slot);
    handled.slot = undefined;
  }

  #take(line: string): number {
    const slot = this.#free.pop() ?? this.#slots++;
    this.#write(slot, line);
    return slot;
  }

  #write(slot: number, line: string): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${line.slice(0, SLOT - 1).padEnd(SLOT - 1)}\n`, slot * SLOT);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.ports.report("record of the pods that are being handled", error);
    this.#drop();
  }

  #drop(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function textOf(file: number): string {
  if (!fstatSync(file).isFile()) throw new Error("expected a regular file, found something else; remove it");
  const buffer = Buffer.alloc(MAX_LINES * SLOT);
  return buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, 0));
}
