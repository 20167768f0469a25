/** Runs GNU du for several folders at once. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { errorText } from "@hooklet/utils";

const MAX_COMPLAINTS_CHARACTERS = 64 * 1024;
/** Room for the longest paths there are. */
const MAX_LINE_CHARACTERS = 4096 + 32;

export interface DuAnswer {
  /** By path, as far as it came. */
  readonly totals: ReadonlyMap<string, number>;
  /** du's error output; empty on success. */
  readonly complaints: string;
  readonly code: number | null;
  /** The signal aborted first: what it had not reached is missing. */
  readonly stopped: boolean;
}

/**
 * Totals of folders in bytes or inodes, each reported as soon as it is counted, in the order of `paths`.
 * Rejects when the program cannot be run. A process that hangs on a dead disk does not die at once and is not waited for.
 */
export function du(
  program: string,
  unit: "--block-size=1" | "--inodes",
  paths: readonly string[],
  signal: AbortSignal,
): Promise<DuAnswer> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, LC_ALL: "C" };
    const args = ["-s", "-x", "-0", unit, "--", ...paths];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
    const output = collected(child.stdout, paths.length * MAX_LINE_CHARACTERS);
    const complaints = collected(child.stderr, MAX_COMPLAINTS_CHARACTERS);
    const answer = (code: number | null, stopped: boolean): void => {
      signal.removeEventListener("abort", kill);
      resolve({ totals: totalsOf(output()), complaints: complaints(), code, stopped });
    };
    const kill = (): void => {
      child.kill("SIGKILL");
      answer(null, true);
    };
    if (signal.aborted) return kill();
    signal.addEventListener("abort", kill, { once: true });
    child.on("error", (error) => {
      signal.removeEventListener("abort", kill);
      reject(new Error(`${program} could not be run: ${errorText(error)}`));
    });
    child.on("close", (code) => answer(code, false));
  });
}

/** The first complaint that is not about a file removed meanwhile. */
export function faultOf(complaints: string): string | undefined {
  return complaints.split("\n").find((line) => line !== "" && (BROKEN_OFF.test(line) || !GONE.test(line)));
}

const GONE = /: (No such file or directory|Stale file handle)$/;
/** du stopped in the middle, for any reason. */
const BROKEN_OFF = /: fts_read failed/;

function totalsOf(output: string): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  // What stands behind the last end of a line was cut off.
  for (const line of output.split("\0").slice(0, -1)) {
    const [, total, path] = /^(\d+)\t(.+)$/s.exec(line) ?? [];
    if (path !== undefined) totals.set(path, Number(total));
  }
  return totals;
}

/** Up to a bound. */
function collected(stream: Readable, most: number): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    if (text.length <= most) text += piece;
  });
  return () => text.slice(0, most);
}
