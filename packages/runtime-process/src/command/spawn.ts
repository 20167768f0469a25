/** The only file that starts processes (execa). None of them sees the agent's own environment. */

import { Socket } from "node:net";
import { constants } from "node:os";
import { type Readable, Writable } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";
import { execa } from "execa";

/** The environment of the set-up tools; a container gets its own. */
const TOOL_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

const COMMON = { cwd: "/", env: TOOL_ENV, extendEnv: false, reject: false, cleanup: false, buffer: false } as const;

export interface PipedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the process has ended, 128 + n after signal n. Output may still be on its way. */
  readonly exited: Promise<number>;
  /** Kills the process itself, unless it has ended. */
  kill(): void;
}

/**
 * Starts a process in a new session with pipes. A `helper` does not keep this process alive.
 * Rejects with `unavailable` when the system refuses a new process.
 */
export async function spawnPiped(
  file: string,
  args: readonly string[],
  options: { readonly stdin: boolean; readonly env: Readonly<Record<string, string>>; readonly helper?: boolean },
): Promise<PipedProcess> {
  const child = execa(file, args, {
    ...COMMON,
    env: { ...TOOL_ENV, ...options.env },
    detached: true,
    stdio: [options.stdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
  if (child.pid === undefined) throw cannotStart(file, (await child).shortMessage);
  if (child.stdout === null || child.stderr === null) throw new RuntimeError("unavailable", `${file} has no output`);
  if (options.helper === true) {
    child.unref();
    for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref();
  }
  const noInput = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    pid: child.pid,
    stdin: child.stdin ?? noInput,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    kill: () => void child.kill("SIGKILL"),
  };
}

export interface TerminalProcess extends PipedProcess {
  /** Path of the terminal where the program runs; undefined when the process ended before it had one. */
  readonly terminal: Promise<string | undefined>;
  /** Lets the program go on behind its terminal. May be called twice. */
  begin(): void;
}

/** As spawnPiped, for a program that tells the path of its terminal on descriptor 3 and waits there for a line. */
export async function spawnOnTerminal(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<TerminalProcess> {
  const child = execa(file, args, {
    ...COMMON,
    env: { ...TOOL_ENV, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
  if (child.pid === undefined) throw cannotStart(file, (await child).shortMessage);
  const status = child.stdio[3];
  if (!(status instanceof Socket)) throw new RuntimeError("unavailable", `${file} has no descriptor 3`);
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    kill: () => void child.kill("SIGKILL"),
    terminal: firstLine(status),
    begin: () => {
      if (!status.writableEnded) status.end("go\n");
    },
  };
}

function firstLine(stream: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const end = (): void => {
      const [line, ...more] = text.split("\n");
      resolve(more.length > 0 ? line : undefined);
    };
    stream.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      if (text.includes("\n") || text.length > 4096) end();
    });
    stream.on("end", end).on("error", end);
  });
}

/** Runs a tool to its end; both outputs together, at most 64 KiB. */
export async function runTool(
  file: string,
  args: readonly string[],
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const result = await execa(file, args, {
    cwd: "/",
    env: TOOL_ENV,
    extendEnv: false,
    reject: false,
    all: true,
    stdin: "ignore",
    maxBuffer: 64 * 1024,
  });
  return { exitCode: result.exitCode ?? 127, output: result.all ?? result.shortMessage ?? "" };
}

function cannotStart(file: string, why: string | undefined): RuntimeError {
  return new RuntimeError("unavailable", `cannot start ${file}: ${why ?? "the system made no process"}`);
}

// Signals by name and number.

const NUMBERS: Readonly<Record<string, number>> = constants.signals;

/** 0 for null and for what is no signal. */
export function signalNumber(signal: string | null): number {
  return signal === null ? 0 : (NUMBERS[signal] ?? 0);
}

/**
 * The signal of an image's StopSignal: `SIGQUIT`, `QUIT`, `3` or `SIGRTMIN+3`. Undefined when it is no signal.
 * (Real-time signals: glibc's numbers, SIGRTMIN = 34.)
 */
export function parseSignal(text: string): number | undefined {
  const name = text.trim().toUpperCase();
  if (/^\d{1,2}$/.test(name)) {
    const number = Number(name);
    return number >= 1 && number <= 64 ? number : undefined;
  }
  const realTime = /^(?:SIG)?RTMIN(?:\+(\d{1,2}))?$/.exec(name);
  if (realTime !== null) {
    const number = 34 + Number(realTime[1] ?? 0);
    return number <= 64 ? number : undefined;
  }
  return NUMBERS[name.startsWith("SIG") ? name : `SIG${name}`];
}
