/** The CLI in process: a fake terminal, and optionally a fake agent behind a real socket. */
import { EventEmitter } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import type { Clock } from "@hooklet/core";
import { sleep, systemClock } from "@hooklet/utils";
import { NOW } from "../../server/test/samples.js";
import { clientCommands } from "../src/declare/client-commands.js";
import type { Io } from "../src/io.js";
import { main } from "../src/main.js";
import type { CliHost } from "../src/program.js";

/** Real timers, and a wall clock that stands still. */
export const stillClock: Clock = { ...systemClock, now: () => NOW };

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface FakeIo extends Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signals: EventEmitter;
  readonly exits: number[];
}

export function fakeIo(env: Record<string, string> = {}, stdin = ""): FakeIo {
  const signals = new EventEmitter();
  const exits: number[] = [];
  return {
    stdin: stdin === "" ? new PassThrough() : Readable.from([Buffer.from(stdin)]),
    stdout: new Sink(),
    stderr: new Sink(),
    env,
    clock: stillClock,
    cwd: () => "/",
    dropTyped: () => undefined,
    signals,
    exits,
    onSignal(signal, listener) {
      signals.on(signal, listener);
      return () => signals.off(signal, listener);
    },
    onUnforeseen(listener) {
      signals.on("uncaught", listener);
      return () => signals.off("uncaught", listener);
    },
    exit: (code) => void exits.push(code),
  };
}

/** Of a client alone. */
export const host: CliHost = { version: "1.2.3", declare: clientCommands };

/** One command line; `words` split at blanks unless given as a list. */
export async function hooklet(words: string | readonly string[], io = fakeIo(), by = host): Promise<Result> {
  const argv = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
  const code = await main(argv, by, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

/** Tries again until the expectation holds, for about a minute. */
export async function eventually(expectation: () => void): Promise<void> {
  for (let left = 1_200; ; left -= 1) {
    try {
      expectation();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(systemClock, 50);
    }
  }
}
