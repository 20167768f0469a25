/** One agent per root directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fchmodSync, lstatSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type Clock, errno, errorText, isNodeAgentError, NodeAgentError, sleep, withDeadline } from "@hooklet/utils";
import { openOwn, writeOwn } from "../files/own-files.js";

export interface RootDirLock {
  /** When the root directory was locked for the first time, milliseconds since the epoch; undefined where the file system does not tell. */
  readonly since?: number | undefined;
  /** Lets the next agent in. May be called twice. */
  release(): Promise<void>;
}

/** flock(1)'s exit code when another process has the lock. */
const CONFLICT = 75;
const DEADLINE_MILLISECONDS = 10_000;
/** Milliseconds that a lock whose holder is dead is waited for, and between two tries. */
const PATIENCE = 2_000;
const PAUSE = 20;

/**
 * Locks an existing root directory for this process: flock(2) on its file `lock`, which only the owner can open, so that no
 * other user can take it. Node has no such call; flock(1) of util-linux takes it and becomes a `cat` that ends with the pipe from
 * this process, also after kill -9. Rejects with ROOT_DIR_LOCKED, naming the holder's pid, and with STATE_UNWRITABLE.
 */
export async function lockRootDir(rootDir: string, clock: Clock): Promise<RootDirLock> {
  const file = path.join(await realpath(rootDir), "lock");
  await create(file);
  for (let left = PATIENCE; ; left -= PAUSE) {
    try {
      return await take(rootDir, file, clock);
    } catch (error) {
      // One that was killed a moment ago: its `cat` is just about to notice.
      if (!isNodeAgentError(error, "ROOT_DIR_LOCKED") || left <= 0 || isAlive(await holderOf(file))) throw error;
      await sleep(clock, PAUSE);
    }
  }
}

/** Whether an agent uses the directory: false where it is no root directory of this user's. It changes nothing. */
export async function isLocked(rootDir: string): Promise<boolean> {
  const file = path.join(rootDir, "lock");
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.uid !== process.geteuid?.()) return false;
  const asked = spawn("flock", ["--shared", "--nonblock", "--conflict-exit-code", String(CONFLICT), file, "true"], {
    stdio: "ignore",
  });
  return (await exitOf(asked)) === CONFLICT;
}

async function take(rootDir: string, file: string, clock: Clock): Promise<RootDirLock> {
  const holder = spawn("flock", ["--nonblock", "--no-fork", "--conflict-exit-code", String(CONFLICT), file, "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
    // Ctrl-C on a terminal is for the agent, which still has pods to stop.
    detached: true,
  });
  const ended = exitOf(holder);
  const late = (): Error => unwritable(file, `flock did not answer within ${DEADLINE_MILLISECONDS / 1000} s`);
  try {
    await withDeadline(clock, DEADLINE_MILLISECONDS, held(holder, ended, rootDir, file), late);
    await note(file);
  } catch (error) {
    holder.kill("SIGKILL");
    throw error;
  }
  for (const part of [holder, holder.stdin, holder.stdout]) (part as { unref?(): void } | null)?.unref?.();
  const { birthtimeMs } = await stat(file);
  return {
    since: birthtimeMs > 0 ? birthtimeMs : undefined,
    release: async () => {
      holder.stdin?.end();
      await ended;
    },
  };
}

/** Refused when it is a link: the directory may have had another owner before. */
async function create(file: string): Promise<void> {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("expected a file, found a link");
    const opened = openOwn(file, constants.O_RDWR, 0o600);
    try {
      fchmodSync(opened, 0o600);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw unwritable(file, errorText(error), error);
  }
}

/** What is written comes back once the `cat` runs, and that is once the lock is held. */
async function held(
  holder: ChildProcess,
  ended: Promise<number | Error>,
  rootDir: string,
  file: string,
): Promise<void> {
  const echo = new Promise<"held">((resolve) => holder.stdout?.once("data", () => resolve("held")));
  holder.stdin?.on("error", () => {
    // It ended: its exit code tells why.
  });
  holder.stdin?.write("held\n");
  const first = await Promise.race([echo, ended]);
  if (first === "held") return;
  if (first !== CONFLICT)
    throw unwritable(file, first instanceof Error ? errorText(first) : `flock ended with ${first}`);
  const pid = await holderOf(file);
  throw new NodeAgentError(
    "ROOT_DIR_LOCKED",
    `Another agent${pid === undefined ? "" : ` (pid ${pid})`} uses the root directory ${rootDir}; ` +
      "expected to be alone there; stop that agent, or give this one its own --root-dir",
  );
}

async function holderOf(file: string): Promise<number | undefined> {
  const text = /^\d{1,10}$/.exec((await readFile(file, "utf8")).trim())?.[0];
  return text === undefined ? undefined : Number(text);
}

/** Undefined counts as alive: the holder of the lock has not written its pid. */
function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

/** Writes the holder's pid for the next agent. In place: a renamed file would be another lock. */
async function note(file: string): Promise<void> {
  try {
    writeOwn(file, `${process.pid}\n`, 0o600);
  } catch (error) {
    throw unwritable(file, errorText(error), error);
  }
}

function exitOf(holder: ChildProcess): Promise<number | Error> {
  return new Promise((resolve) => {
    holder.once("error", resolve);
    holder.once("exit", (code) => resolve(code ?? -1));
  });
}

function unwritable(file: string, why: string, cause?: unknown): NodeAgentError {
  const text = `${file} cannot be locked: ${why}; expected a directory that this user can write, and flock of util-linux`;
  return new NodeAgentError("STATE_UNWRITABLE", text, { cause });
}
