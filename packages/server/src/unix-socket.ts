/** Listens on a unix socket that nobody but its owner, or one group, can ever open. */
import { chmod, chown, lstat, mkdir, mkdtemp, rename, rm, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { cannotListen, errorText, NodeAgentError } from "@hooklet/core/base";

/** sun_path holds 108 bytes with the final NUL. */
const MAX_PATH_BYTES = 107;

export interface SocketAccess {
  readonly mode: number;
  /** Its number; default: the agent's own. */
  readonly group?: number;
}

/**
 * Makes the socket in a new directory of mode 0700, closes it down to its mode (default 0600) and only then moves it to `path`,
 * where it replaces the file of an agent that is gone. Returns what removes it again.
 * @param listen starts listening on the path that it gets
 * @throws NodeAgentError INVALID when the path is too long, taken by another kind of file or by a living agent
 */
export async function listenPrivately(
  path: string,
  listen: (path: string) => Promise<unknown>,
  { mode, group }: SocketAccess = { mode: 0o600 },
): Promise<() => Promise<void>> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `The socket ${path} cannot be made: its path has ${Buffer.byteLength(path)} bytes, the kernel takes ${MAX_PATH_BYTES}. ` +
        "Name a shorter one with --socket or --root-dir.",
    );
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await assertFree(path);
  const nursery = await mkdtemp(join(dirname(path), ".hk"));
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
  const { ino } = await lstat(path);
  return async () => {
    const now = await lstat(path).catch(() => undefined);
    if (now?.ino === ino) await unlink(path);
  };
}

async function giveToGroup(newborn: string, path: string, group: number): Promise<void> {
  try {
    await chown(newborn, -1, group);
  } catch (cause) {
    throw cannotListen(path, errorText(cause), "Name a group that the agent may give its files to.", cause);
  }
}

async function assertFree(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined) return;
  if (!there.isSocket()) {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `${path} is not a socket: expected nothing or the socket of an earlier agent. Name another path (--socket).`,
    );
  }
  if (await answers(path)) {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `Another agent answers on ${path}. Stop it, or give this one its own --root-dir or --socket (${basename(path)}).`,
    );
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
