/** Folders and sockets that plugins can reach: what may be trusted there, and sockets of our own. */
import { dirname, join } from "node:path";
import { invalid } from "@hooklet/core";
import { whenGone } from "@hooklet/core/subsystem";
import { disk, listenPrivately, occupantOf, type PrivateSocket } from "@hooklet/linux";
import { staleSockets } from "../registration/rules.js";

/** Whoever can write here can take a plugin's place. */
const WRITABLE_BY_OTHERS = 0o022;

/** Makes the folder (0750) when it is not there. @throws NodeAgentError INVALID when it is not ours alone */
export async function prepareFolder(path: string): Promise<void> {
  await disk.mkdir(path, { recursive: true, mode: 0o750 });
  const found = await disk.lstat(path);
  if (!found.isDirectory()) throw invalid(`The folder ${path}`, "a folder", "something else");
  if (!isTrusted(found.uid) || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    const mode = (found.mode & 0o7777).toString(8).padStart(4, "0");
    throw invalid(
      `The folder ${path}`,
      "owned by root or the agent's user, writable for no other user",
      `uid ${found.uid}, mode ${mode}`,
    );
  }
}

/** Removes what an earlier life has left, plugins' sockets too: that is how they see that they have to register again. */
export async function removeStaleSockets(folder: string): Promise<readonly string[]> {
  const entries = await disk.readdir(folder, { withFileTypes: true });
  const stale = staleSockets(
    entries.map((entry) => ({ name: entry.name, type: entry.isSocket() ? "socket" : "other" })),
  );
  for (const name of stale) await disk.rm(join(folder, name), { force: true });
  return stale;
}

/** @throws Error when there is something else than a socket of root or our own; a socket that is not there yet may come */
export async function checkSocket(path: string): Promise<void> {
  const found = await whenGone(undefined, () => disk.lstat(path));
  if (found === undefined) return;
  const kind = found.isSymbolicLink() ? "a symbolic link" : found.isFile() ? "a file" : "no socket";
  if (!found.isSocket()) throw new Error(`${path} is ${kind}, expected a socket`);
  if (!isTrusted(found.uid)) throw new Error(`${path} belongs to uid ${found.uid}, expected root or our own user`);
}

/**
 * Listens at the path, in a folder that is ours alone.
 * @param before what is done once it is known that nobody serves there
 * @throws NodeAgentError INVALID when the folder is not safe, or the path another program's or no socket; CANNOT_LISTEN when it is too long
 */
export async function serveAt(
  path: string,
  listen: (path: string) => Promise<unknown>,
  before: () => Promise<unknown> = async () => {},
): Promise<PrivateSocket> {
  await prepareFolder(dirname(path));
  const occupant = await occupantOf(path);
  if (occupant === "living") {
    throw invalid(`The socket ${path}`, "no other server on it", "a kubelet or another agent");
  }
  if (occupant === "other") throw invalid(`The socket ${path}`, "nothing there, or a socket", "something else");
  await before();
  return listenPrivately(path, listen, "Name a shorter folder in the options of the plugin devices.");
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.();
}
