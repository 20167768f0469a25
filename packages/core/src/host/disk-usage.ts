/** What a folder takes on disk, counted by `du` in processes of its own: a tree of a million files costs the agent nothing. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../clock.js";
import { errorText, invalid } from "../errors.js";
import { Semaphore } from "../lib/semaphore.js";
import type { DiskUsage } from "../plugin/contract/host.js";
import { boundedDiskUsage, uncounted } from "./bounded.js";

/** Folders that are counted at the same time; the others wait. */
const AT_ONCE = 2;

const MAX_OUTPUT_CHARACTERS = 64 * 1024;

/** `program`: GNU's du, or what has its options `-s -x --block-size --inodes`. */
export function createDiskUsage(
  clock: Clock,
  program = "du",
): (path: string, signal?: AbortSignal) => Promise<DiskUsage> {
  const slots = new Semaphore(AT_ONCE);
  const count = async (path: string, stop: AbortSignal): Promise<DiskUsage> => {
    const run = (unit: string) => du(program, ["-s", "-x", unit, "--", path], path, stop);
    const [bytes, inodes] = await Promise.all([run("--block-size=1"), run("--inodes")]);
    const incomplete = bytes.fault ?? inodes.fault;
    return {
      usedBytes: bytes.total,
      inodesUsed: inodes.total,
      ...(incomplete !== undefined && { incomplete }),
    };
  };
  return async (path, signal) => {
    if (!path.startsWith("/")) throw invalid("diskUsage", "an absolute path", path);
    return slots.run(() => boundedDiskUsage(clock, path, signal, (stop) => count(path, stop)));
  };
}

interface Counted {
  readonly total: number;
  /** Why it may be more. */
  readonly fault?: string;
}

/** Rejects as soon as the signal aborts: a process that waits for a dead disk does not die at once. */
function du(program: string, words: readonly string[], path: string, signal: AbortSignal): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, LC_ALL: "C" };
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], env });
    const kill = (): void => {
      child.kill("SIGKILL");
      reject(signal.reason);
    };
    signal.addEventListener("abort", kill, { once: true });
    const output = collected(child.stdout);
    const complaints = collected(child.stderr);
    child.on("error", (error) => {
      signal.removeEventListener("abort", kill);
      reject(uncounted(path, `${program} could not be run: ${errorText(error)}`));
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", kill);
      const total = /^(\d+)\t/.exec(output())?.[1];
      const fault = faultOf(complaints());
      // A container can close a folder of its volume, or make it fail: what it hides so must not make the rest count as nothing.
      if (total !== undefined) return resolve({ total: Number(total), ...(fault !== undefined && { fault }) });
      reject(uncounted(path, fault ?? (complaints().trim() || `${program} ended with ${code} and told no total`)));
    });
  });
}

/** The first complaint about something else than an entry that went away meanwhile. */
function faultOf(text: string): string | undefined {
  return text.split("\n").find((line) => line !== "" && (BROKEN_OFF.test(line) || !GONE.test(line)));
}

const GONE = /: (No such file or directory|Stale file handle)$/;
/** The walk ended in the middle, for whatever reason. */
const BROKEN_OFF = /: fts_read failed/;

/** Whole lines, up to a bound. */
function collected(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    if (text.length <= MAX_OUTPUT_CHARACTERS) text += piece;
  });
  return () =>
    text.length <= MAX_OUTPUT_CHARACTERS ? text : text.slice(0, text.lastIndexOf("\n", MAX_OUTPUT_CHARACTERS));
}
