/** Unix sockets of the agent: only their owner, or one group, can open them, from the first moment. */
import { chmod, chown, lstat, mkdtemp, rename, rm, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { cannotListen, errno, errorText } from "@hooklet/utils";

/** sun_path holds 108 bytes with the final NUL. */
const MAX_PATH_BYTES = 107;

/** Who may open a socket. */
export interface SocketAccess {
  readonly mode: number;
  /** The number of a group; default: the agent's own. */
  readonly group?: number;
}

export interface PrivateSocket {
  /** False when it has been removed or replaced. */
  isThere(): Promise<boolean>;
  /** Removes it, if it is still ours. */
  remove(): Promise<void>;
}

/**
 * Creates the socket in a new directory of mode 0700, sets its mode (default 0600) and only then moves it to `path`, where it
 * replaces what is there: check `occupantOf` before.
 * @param listen starts listening on the given path
 * @param instead what to choose in place of a path that is too long
 * @throws NodeAgentError CANNOT_LISTEN when the path is too long, or its disk is full; the system's own errors
 */
export async function listenPrivately(
  path: string,
  listen: (path: string) => Promise<unknown>,
  instead: string,
  { mode, group }: SocketAccess = { mode: 0o600 },
): Promise<PrivateSocket> {
  const bytes = Math.max(Buffer.byteLength(path), Buffer.byteLength(join(dirname(path), ".hkXXXXXX", "s")));
  if (bytes > MAX_PATH_BYTES) {
    throw cannotListen(path, `its path has ${bytes} bytes, the kernel takes ${MAX_PATH_BYTES}`, instead);
  }
  const nursery = await mkdtemp(join(dirname(path), ".hk")).catch((cause: unknown) => {
    if (!["ENOSPC", "EDQUOT"].includes(errno(cause) ?? "")) throw cause;
    throw cannotListen(
      path,
      errorText(cause),
      "Free some space on that disk, and inodes; or choose a path on another one",
    );
  });
  const newborn = join(nursery, "s");
  try {
    await listen(newborn);
    await chmod(newborn, 0o600);
    if (group !== undefined) await giveToGroup(newborn, path, group);
    await chmod(newborn, mode);
    await rename(newborn, path);
  } finally {
    await rm(nursery, { recursive: true, force: true });
  }
  const own = await socketIdentity(path);
  const isThere = async (): Promise<boolean> => (await socketIdentity(path)) === own;
  return {
    isThere,
    async remove() {
      if (await isThere()) await unlink(path);
    },
  };
}

/**
 * Tells two sockets at one path from each other, also when the file system has given the second one the inode of the first;
 * undefined: there is none.
 */
export async function socketIdentity(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  // Only the making of a socket sets the time of its content: neither chmod nor connections do.
  return found?.isSocket() ? `${found.dev} ${found.ino} ${found.mtimeNs}` : undefined;
}

async function giveToGroup(newborn: string, path: string, group: number): Promise<void> {
  try {
    await chown(newborn, -1, group);
  } catch (cause) {
    throw cannotListen(path, errorText(cause), "Name a group that the agent may give its files to.", cause);
  }
}

/** The occupant of a socket's path: none, a dead program, a living one, or something that is no socket. */
export async function occupantOf(path: string): Promise<"absent" | "dead" | "living" | "other"> {
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined) return "absent";
  if (!there.isSocket()) return "other";
  return (await answers(path)) ? "living" : "dead";
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
