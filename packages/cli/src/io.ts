/** All that the CLI touches of the process it runs in, so that tests run it in process. */
import type { EventEmitter } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Writable } from "node:stream";
import { type Clock, untilDrained } from "@hooklet/utils";
import { escapeControls } from "./print/escape.js";

/** A stream that may be a terminal. */
export interface Output extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Input extends EventEmitter, AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  pause(): unknown;
  resume?(): unknown;
}

export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  cwd(): string;
  /** Drops what was typed on the terminal and not read yet. It has to be in raw mode, else half a line stays. */
  dropTyped(): void;
  /** Calls the listener instead of ending the process; returns what ends that. */
  onSignal(signal: NodeJS.Signals, listener: () => void): () => void;
  /** Calls the listener for each uncaught error, instead of ending the process; returns what ends that. */
  onUnforeseen(listener: (kind: NodeJS.UncaughtExceptionOrigin, error: unknown) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export function processIo(clock: Clock): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    clock,
    cwd: () => process.cwd(),
    dropTyped: () => dropTyped("/dev/tty"),
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    onUnforeseen(listener) {
      const exception = (error: unknown): void => listener("uncaughtException", error);
      const rejection = (error: unknown): void => listener("unhandledRejection", error);
      process.on("uncaughtException", exception).on("unhandledRejection", rejection);
      return () => process.off("uncaughtException", exception).off("unhandledRejection", rejection);
    },
    exit: (code) => process.exit(code),
  };
}

/** Reads all that lies ready in a terminal, which neither blocks nor waits for more. */
export function dropTyped(terminal: string): void {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
  let file: number | undefined;
  try {
    file = openSync(terminal, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const piece = Buffer.alloc(4096);
    while (readSync(file, piece) > 0);
  } catch {
    // Nothing more lies there (EAGAIN), or there is no terminal that this process may read.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes a line; resolves when the stream takes more or is gone. On a terminal its control characters have no effect. */
export async function printLine(stream: Output, text: string): Promise<void> {
  await printText(stream, `${text}\n`);
}

/** The same for text that has its own end. Programs get it as it is here; cells of tables come escaped already. */
export function printText(stream: Output, text: string): Promise<void> {
  return write(stream, stream.isTTY === true ? escapeControls(text) : text);
}

/** A line for people beside what was asked for. What others wrote in it (containers, servers, manifests) does not steer the terminal. */
export function tell({ stderr }: Pick<Io, "stderr">, text: string): Promise<void> {
  return printLine(stderr, escapeControls(text));
}

export function write(stream: Output, data: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(data)) return Promise.resolve();
  return untilDrained(stream);
}

/** Whether to write colours: on a terminal, and never with NO_COLOR. https://no-color.org */
export function colours(stream: Output, env: Io["env"]): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}
