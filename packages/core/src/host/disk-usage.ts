/** What a folder takes on disk, counted by `du` in processes of its own: a tree of a million files costs the agent nothing. */
import { spawn } from "node:child_process";
import { type Clock, withDeadline } from "../clock.js";
import { errorText, invalid, NodeAgentError } from "../errors.js";
import { Semaphore } from "../lib/semaphore.js";
import type { DiskUsage } from "../plugin/contract/host.js";

/** Seconds. */
export const DISK_USAGE_DEADLINE = 30;

/** Folders that are counted at the same time; the others wait. */
const AT_ONCE = 2;

const MAX_OUTPUT_BYTES = 64 * 1024;

/** The program that is run; tests put another in its place. */
export function createDiskUsage(clock: Clock, program = "du") {
  const slots = new Semaphore(AT_ONCE);
  return (path: string, signal?: AbortSignal): Promise<DiskUsage> => {
    if (!path.startsWith("/")) throw invalid("diskUsage", "an absolute path", path);
    return slots.run(() => measure(clock, program, path, signal));
  };
}

async function measure(clock: Clock, program: string, path: string, signal?: AbortSignal): Promise<DiskUsage> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const count = (unit: string): Promise<number> => du(program, ["-s", "-x", unit, "--", path], path, stop.signal);
  try {
    const both = Promise.all([count("--block-size=1"), count("--inodes")]);
    const [usedBytes, inodesUsed] = await withDeadline(clock, DISK_USAGE_DEADLINE * 1000, both, () =>
      failed(path, `expected within ${DISK_USAGE_DEADLINE} s, still counting`),
    );
    return { usedBytes, inodesUsed };
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // One of the two has failed, or time is up: the other need not go on.
    stop.abort();
  }
}

/** Rejects with the signal's reason as soon as it aborts: a process that waits for a dead disk does not die at once. */
function du(program: string, words: readonly string[], path: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, LC_ALL: "C" },
    });
    const kill = (): void => {
      child.kill("SIGKILL");
      reject(signal.reason);
    };
    signal.addEventListener("abort", kill, { once: true });
    const output = collected(child.stdout);
    const complaints = collected(child.stderr);
    child.on("error", (error) => {
      signal.removeEventListener("abort", kill);
      reject(failed(path, `${program} could not be run: ${errorText(error)}`));
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", kill);
      const total = /^(\d+)\t/.exec(output())?.[1];
      const fault = seriousComplaint(complaints());
      if (total === undefined || fault !== undefined) reject(failed(path, fault ?? missing(complaints(), code)));
      else resolve(Number(total));
    });
  });
}

/** The first line about something else than what went away meanwhile. */
function seriousComplaint(text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line !== "" && !/: No such file or directory$|: Stale file handle$/.test(line));
}

function missing(text: string, code: number | null): string {
  return text.trim() || `du ended with ${code ?? "a signal"} and told no total`;
}

function collected(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    if (text.length < MAX_OUTPUT_BYTES) text += piece;
  });
  return () => {
    if (text.length <= MAX_OUTPUT_BYTES) return text;
    return text.slice(0, text.lastIndexOf("\n", MAX_OUTPUT_BYTES));
  };
}

function failed(path: string, what: string): NodeAgentError {
  return new NodeAgentError("INVALID", `The disk usage of ${path} could not be counted: ${what}.`);
}
