/** Sockets of the file system: folders that are safe, sockets that may be dialled, sockets of our own. */
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { invalid } from "@hooklet/core";
import { staleSockets } from "../registration/rules.js";

/** sun_path holds 108 bytes with the final NUL. */
const MAX_PATH_BYTES = 107;
/** Whoever can write here can take a plugin's place. */
const WRITABLE_BY_OTHERS = 0o022;

/** Makes the folder (0750) when it is not there. @throws NodeAgentError INVALID when it is not ours alone */
export async function prepareFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o750 });
  const found = await lstat(path);
  if (!found.isDirectory()) throw invalid(`The folder ${path}`, "a folder", "something else");
  if (!isTrusted(found.uid) || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    const mode = (found.mode & 0o7777).toString(8).padStart(4, "0");
    throw invalid(
      `The folder ${path}`,
      "root's or our own, writable for nobody else",
      `uid ${found.uid}, mode ${mode}`,
    );
  }
}

/** Removes what an earlier life has left, plugins' sockets too: that is how they see that they have to register again. */
export async function removeStaleSockets(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const stale = staleSockets(
    entries.map((entry) => ({ name: entry.name, type: entry.isSocket() ? "socket" : "other" })),
  );
  for (const name of stale) await rm(join(folder, name), { force: true });
  return stale;
}

/** @throws Error when there is something else than a socket of root or our own; a socket that is not there yet may come */
export async function checkSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  const kind = found.isSymbolicLink() ? "a symbolic link" : found.isFile() ? "a file" : "no socket";
  if (!found.isSocket()) throw new Error(`${path} is ${kind}, expected a socket`);
  if (!isTrusted(found.uid)) throw new Error(`${path} belongs to uid ${found.uid}, expected root or our own user`);
}

export interface OwnSocket {
  /** False when it has been taken away, or another one is in its place. */
  isThere(): Promise<boolean>;
  remove(): Promise<void>;
}

/** @throws NodeAgentError INVALID when a living program answers at the path */
export async function assertNobodyServes(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSocket() && (await answers(path))) {
    throw invalid(`The socket ${path}`, "nobody to serve there", "a kubelet or another agent that does");
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/**
 * Makes a socket that nobody but its owner can ever open, and moves it to its place, where it takes that of an earlier one.
 */
export async function listenAt(path: string, listen: (path: string) => Promise<unknown>): Promise<OwnSocket> {
  const nursery = await mkdtemp(join(dirname(path), ".hk"));
  const newborn = join(nursery, "s");
  if (Buffer.byteLength(newborn) > MAX_PATH_BYTES) {
    await rm(nursery, { recursive: true, force: true });
    throw invalid(
      `The socket ${path}`,
      `a path of at most ${MAX_PATH_BYTES - 9} bytes`,
      `${Buffer.byteLength(path)} bytes`,
    );
  }
  try {
    await listen(newborn);
    await chmod(newborn, 0o600);
    await rename(newborn, path);
  } finally {
    await rm(nursery, { recursive: true, force: true });
  }
  const { ino } = await lstat(path);
  const isThere = async (): Promise<boolean> => (await lstat(path).catch(() => undefined))?.ino === ino;
  return {
    isThere,
    async remove() {
      if (await isThere()) await unlink(path);
    },
  };
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.();
}
