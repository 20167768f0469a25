/** Where the agent's sockets may be made. */
import { basename, dirname } from "node:path";
import { listenPrivately, makeOwnFolder, occupantOf, type PrivateSocket, type SocketAccess } from "@hooklet/linux";
import { NodeAgentError } from "@hooklet/utils";

/**
 * Makes a socket (0600 unless `access` says otherwise), where it replaces the file of an agent that is gone.
 * @param listen starts listening on the path that it gets
 * @param sudoUid a user whose folders count as root's
 * @throws NodeAgentError INVALID where a part of the way is another user's, CANNOT_LISTEN when the path is too long, taken by another kind of file or by a living agent
 */
export async function ownSocket(
  path: string,
  listen: (path: string) => Promise<unknown>,
  access?: SocketAccess,
  sudoUid?: number,
): Promise<PrivateSocket> {
  await makeOwnFolder(dirname(path), "choose another place, with --socket, socket or readOnlySocket", sudoUid);
  await assertFree(path);
  return listenPrivately(path, listen, "Name a shorter one with --socket or --root-dir.", access);
}

async function assertFree(path: string): Promise<void> {
  const occupant = await occupantOf(path);
  if (occupant === "other") {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `${path} is not a socket: expected nothing or the socket of an earlier agent. Name another path (--socket).`,
    );
  }
  if (occupant === "living") {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `Another agent answers on ${path}. Stop it, or give this one its own --root-dir or --socket (${basename(path)}).`,
    );
  }
}
