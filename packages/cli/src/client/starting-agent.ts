/** Whether an agent is about to make its socket: between `hooklet run` and the socket lies a second, or ten on a busy machine. */
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

/** Seconds after which a process that has no socket yet is not waited for. */
const YOUNG = 30;
/** Of a clock tick in /proc: the same on all of Linux. */
const TICKS_A_SECOND = 100;
/** Words before the name of the program: an interpreter with its options. */
const MAX_BEFORE = 4;

export interface WantedSocket {
  readonly path: string;
  /** It is where an agent of this user listens by default. */
  readonly isDefault: boolean;
}

/**
 * A process of `hooklet run` of this machine that is to listen there and has begun a moment ago. Nothing that cannot be read counts.
 * Of its rc file nothing is known: a socket or root directory that it names is not known here.
 */
export async function isAboutToListen(wanted: WantedSocket, proc = "/proc"): Promise<boolean> {
  const uptime = Number.parseFloat(await readFile(join(proc, "uptime"), "utf8").catch(() => ""));
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => isOne(join(proc, pid), wanted, uptime).catch(() => false)));
  return found.includes(true);
}

async function isOne(folder: string, wanted: WantedSocket, uptime: number): Promise<boolean> {
  const words = (await readFile(join(folder, "cmdline"), "utf8")).split("\0").slice(0, -1);
  const options = runOptions(words);
  if (options === undefined) return false;
  if (!(startedAt(await readFile(join(folder, "stat"), "utf8")) >= uptime - YOUNG)) return false;
  const named = namedSocket(options);
  if (named !== undefined) return resolve(await readlink(join(folder, "cwd")), named) === wanted.path;
  return wanted.isDefault && (await stat(folder)).uid === process.geteuid?.();
}

/** What stands behind `hooklet`, of a command line that is `hooklet run`. */
export function runOptions(words: readonly string[]): readonly string[] | undefined {
  const at = words.slice(0, MAX_BEFORE).findIndex((word) => ["hooklet", "hooklet.js"].includes(basename(word)));
  if (at < 0) return undefined;
  const options = words.slice(at + 1);
  const command = options.find((word, n) => !word.startsWith("-") && !takesPath(options[n - 1]));
  return command === "run" ? options : undefined;
}

/** The socket that the options name, as they name it; of several the last one, and `--socket` before `--root-dir`. */
export function namedSocket(options: readonly string[]): string | undefined {
  const socket = lastOf(options, "--socket");
  const rootDir = lastOf(options, "--root-dir");
  return socket ?? (rootDir === undefined ? undefined : join(rootDir, "hooklet.sock"));
}

function lastOf(options: readonly string[], name: string): string | undefined {
  const values = options.flatMap((word, n) => {
    if (word.startsWith(`${name}=`)) return [word.slice(name.length + 1)];
    return options[n - 1] === name ? [word] : [];
  });
  return values.at(-1);
}

function takesPath(word: string | undefined): boolean {
  return word === "--socket" || word === "--root-dir";
}

/** Seconds since the machine came up. The name in the second field may hold blanks and brackets. */
function startedAt(text: string): number {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[19]) / TICKS_A_SECOND;
}
