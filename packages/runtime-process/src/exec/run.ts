/** The two ways to run a command: to its end, or with a conversation. */
import type { Readable } from "node:stream";
import { type Clock, type ExecResult, errorText } from "@hooklet/core";
import { EXEC_SYNC_BYTES, type ExecOptions, type InteractiveExec, RuntimeError } from "@hooklet/core/host";
import { pause } from "@hooklet/core/subsystem";
import { untilDrained } from "@hooklet/utils";
import type { PipedProcess } from "../command/spawn.js";
import type { Container } from "../container/container.js";
import type { Deps } from "../deps.js";
import { killSession, killWithOffspring, startExec } from "./session.js";
import { startOnTerminal } from "./terminal.js";

/** How long output may be held open by what the command left running. */
const DRAIN_MS = 1000;

export async function execSync(
  deps: Deps,
  container: Container,
  command: readonly string[],
  timeoutSeconds: number,
): Promise<ExecResult> {
  const child = await startExec(deps, container, command, false);
  const stdout = capture(deps.clock, child.stdout);
  const stderr = capture(deps.clock, child.stderr);
  let timedOut = false;
  const timer =
    timeoutSeconds > 0
      ? deps.clock.schedule(timeoutSeconds * 1000, () => {
          timedOut = true;
          logged(deps, killSession(deps, child.pid));
        })
      : undefined;
  const exitCode = await child.exited;
  timer?.cancel();
  if (timedOut) {
    child.stdout.destroy();
    child.stderr.destroy();
    throw new RuntimeError(
      "deadline-exceeded",
      `command ${command[0]} timed out after ${timeoutSeconds} s and was killed`,
    );
  }
  await drained(deps, child);
  return { stdout: stdout(), stderr: stderr(), exitCode };
}

export async function execInteractive(
  deps: Deps,
  container: Container,
  options: ExecOptions,
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
): Promise<InteractiveExec> {
  if (options.tty) {
    const { child, resize } = await startOnTerminal(deps, container, options.command, options.signal);
    return conversation(deps, child, output, { resize, kill: () => killWithOffspring(deps, child.pid) });
  }
  const child = await startExec(deps, container, options.command, options.stdin, options.signal);
  return conversation(deps, child, output, { resize: () => {}, kill: () => killSession(deps, child.pid) });
}

function conversation(
  deps: Deps,
  child: PipedProcess,
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
  { resize, kill }: Pick<InteractiveExec, "resize"> & { readonly kill: () => Promise<void> },
): InteractiveExec {
  child.stdout.on("data", (data: Buffer) => output("stdout", data));
  child.stderr.on("data", (data: Buffer) => output("stderr", data));
  // The command may end without reading its input.
  child.stdin.on("error", () => {});
  let held = false;
  let ended = false;
  return {
    resize,
    // After its end the pid may belong to another process.
    abort: () => void (ended || logged(deps, kill())),
    exitCode: child.exited.then(async (code) => {
      ended = true;
      await drained(deps, child, () => held);
      return code;
    }),
    write: (data) => {
      if (!child.stdin.writableEnded) child.stdin.write(data);
    },
    drained: () => untilDrained(child.stdin),
    pause: () => {
      held = true;
      child.stdout.pause();
      child.stderr.pause();
    },
    resume: () => {
      held = false;
      child.stdout.resume();
      child.stderr.resume();
    },
    endInput: () => {
      child.stdin.end();
    },
  };
}

function logged(deps: Deps, work: Promise<void>): void {
  work.catch((error: unknown) => deps.log.error(`a command could not be killed: ${errorText(error)}`));
}

/** All output was delivered; what a process left behind by the command writes later is lost. `held`: output is paused now. */
async function drained(deps: Deps, child: PipedProcess, held = (): boolean => false): Promise<void> {
  let open = true;
  const ended = Promise.all([closed(child.stdout), closed(child.stderr)]).then(() => {
    open = false;
  });
  do {
    const limit = new AbortController();
    await Promise.race([ended, pause(deps.clock, DRAIN_MS, limit.signal)]);
    limit.abort();
  } while (open && held());
  child.stdout.destroy();
  child.stderr.destroy();
}

function closed(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

/** Milliseconds between two discarded chunks: a command that prints endlessly costs the agent next to nothing. */
const PAUSE = 10;

/** Returns what was kept: no more than the first bytes. The rest is read slowly and dropped, so that the command can end. */
function capture(clock: Clock, stream: Readable): () => Buffer {
  const kept = Buffer.allocUnsafe(EXEC_SYNC_BYTES);
  let size = 0;
  stream.on("data", (data: Buffer) => {
    if (size < kept.length) {
      size += data.copy(kept, size);
      return;
    }
    stream.pause();
    clock.schedule(PAUSE, () => {
      if (!stream.destroyed) stream.resume();
    });
  });
  return () => Buffer.from(kept.subarray(0, size));
}
