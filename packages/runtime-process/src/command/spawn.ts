/** The only file that starts processes (execa). None of them sees the agent's own environment. */
import { type Readable, Writable } from "node:stream";
import { RuntimeError } from "@hooklet/core";
import { execa } from "execa";
import { signalNumber } from "./signals.js";

/** What the set-up tools get; a container gets an environment of its own. */
const TOOL_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

const COMMON = { cwd: "/", env: TOOL_ENV, extendEnv: false, reject: false, cleanup: false, buffer: false } as const;

/**
 * Starts a process in a session of its own which outlives the agent; both outputs go into the open file `output`.
 * Returns its pid. Rejects with `unavailable` when the system refuses a new process.
 */
export async function spawnDetached(file: string, args: readonly string[], output: number): Promise<number> {
  const child = execa(file, args, { ...COMMON, detached: true, stdio: ["ignore", output, output] });
  child.unref();
  return pidOf(child, file);
}

export interface PipedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once the process has ended, 128 + n after signal n. Output may still be on its way. */
  readonly exited: Promise<number>;
}

/** Starts a process in a session of its own with pipes. Rejects as `spawnDetached` does. */
export async function spawnPiped(file: string, args: readonly string[], stdin: boolean): Promise<PipedProcess> {
  const child = execa(file, args, {
    ...COMMON,
    detached: true,
    stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
  const pid = await pidOf(child, file);
  if (child.stdout === null || child.stderr === null) throw new RuntimeError("unavailable", `${file} has no output`);
  const noInput = new Writable({ write: (_chunk, _encoding, done) => done() });
  return { pid, stdin: child.stdin ?? noInput, stdout: child.stdout, stderr: child.stderr, exited };
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

type Child = { readonly pid?: number | undefined } & PromiseLike<{ readonly shortMessage?: string }>;

async function pidOf(child: Child, file: string): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const result = await child;
  throw new RuntimeError("unavailable", `cannot start ${file}: ${result.shortMessage ?? "no new process"}`);
}
