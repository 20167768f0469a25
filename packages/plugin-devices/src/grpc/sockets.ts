/** Folders and sockets that plugins can reach: what may be trusted there, and sockets of our own. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { invalid } from "@hooklet/core";
import { whenGone } from "@hooklet/core/subsystem";
import { disk, listenPrivately, occupantOf, socketIdentity } from "@hooklet/linux";
import { staleSockets } from "../registration/rules.js";
import type { FoundSocket } from "../registration/watcher.js";
import type { GrpcServer } from "./grpc.js";

/** Most sockets that are read; a node has fewer plugins. */
const MAX_SOCKETS = 1_000;

export interface RunningServer {
  /** False when its socket has been removed. */
  isThere(): Promise<boolean>;
  stop(): Promise<void>;
}

/** A user who can write here can replace a plugin. */
const WRITABLE_BY_OTHERS = 0o022;

/** Makes the folder (0750) when it is not there. @throws NodeAgentError INVALID when it is not ours alone */
export async function prepareFolder(path: string): Promise<void> {
  await disk.mkdir(path, { recursive: true, mode: 0o750 });
  const found = await disk.lstat(path);
  if (!found.isDirectory()) throw invalid(`The directory ${path}`, "a directory", "something else");
  if (!isTrusted(found.uid) || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    const mode = (found.mode & 0o7777).toString(8).padStart(4, "0");
    throw invalid(
      `The directory ${path}`,
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

/** Sockets in the folder and the folders in it, hidden ones left out; none when it is not there. */
export async function socketsIn(folder: string, depth = 1): Promise<readonly FoundSocket[]> {
  const entries: readonly Dirent[] = await whenGone([], () => readdir(folder, { withFileTypes: true }));
  const found: FoundSocket[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".") || found.length >= MAX_SOCKETS) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) found.push(...(await socketsIn(path, depth - 1)));
    if (!entry.isSocket()) continue;
    const identity = await socketIdentity(path);
    if (identity !== undefined) found.push({ path, identity });
  }
  return found;
}

/**
 * Serves at the path, in a folder that is ours alone. gRPC is loaded when the first client connects: few nodes have device plugins, and it is a
 * tenth of what a start costs.
 * @param before what is done once it is known that no other server listens there
 * @throws NodeAgentError INVALID when the folder is not safe, or the path another program's or no socket; CANNOT_LISTEN when it is too long
 */
export async function serveAt(
  path: string,
  load: () => Promise<GrpcServer>,
  before: () => Promise<unknown> = async () => {},
): Promise<RunningServer> {
  await prepareFolder(dirname(path));
  const occupant = await occupantOf(path);
  if (occupant === "living") {
    throw invalid(`The socket ${path}`, "no other server on it", "a kubelet or another agent");
  }
  if (occupant === "other") throw invalid(`The socket ${path}`, "nothing there, or a socket", "something else");
  await before();
  let serving: Promise<GrpcServer> | undefined;
  let stopped = false;
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    serving ??= load();
    serving.then(
      (grpc) => (stopped ? socket.destroy() : grpc.take(socket)),
      () => socket.destroy(),
    );
  });
  const listen = (newborn: string) =>
    new Promise<void>((resolve, reject) => server.once("error", reject).listen(newborn, resolve));
  const { isThere, remove } = await listenPrivately(
    path,
    listen,
    "Name a shorter directory in the options of the plugin devices.",
  );
  // A connection that cannot be accepted is its client's loss.
  server.on("error", () => undefined);
  return {
    isThere,
    async stop() {
      stopped = true;
      server.close();
      (await serving)?.stop();
      await remove();
    },
  };
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.();
}
