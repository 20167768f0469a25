/** Which mounts of the machine the agent's user and its containers can reach. */
import { accessSync, constants, lstatSync } from "node:fs";
import { posix } from "node:path";
import { errno } from "@hooklet/core/subsystem";
import type { MountedFs } from "@hooklet/linux";
import { isBehindRemote } from "./foreign.js";
import type { Reaches } from "./volume-mounts.js";

/** What the file system says to a user. */
export interface Folders {
  /** Whether this user may go through the folder. Whatever else is wrong with it: true. */
  isOpen(folder: string): boolean;
  /** Whether the folder is this user's own, closed as it may be. */
  isOwn(folder: string): boolean;
}

/**
 * A mount behind a closed folder of another user is left as it is: neither mount(8) nor a container reaches it. All others must
 * get their flags, or the container does not start: the user's own closed folder is open to root in a user
 * namespace, and root reaches everything. File systems that may hang are not accessed.
 */
export function reachOf(
  mounts: readonly MountedFs[],
  { userNamespace }: { readonly userNamespace: boolean },
  folders: Folders = machineFolders,
): Reaches {
  if (!userNamespace) return () => true;
  return (mountPoint) => {
    const folder = posix.dirname(mountPoint);
    if (isBehindRemote(mounts, folder) || folders.isOpen(folder)) return true;
    const closed = foldersTo(folder).find((one) => !folders.isOpen(one));
    return closed === undefined || folders.isOwn(closed);
  };
}

/** From the topmost below `/` to the folder itself. */
function foldersTo(folder: string): string[] {
  const names = folder.split("/").filter((name) => name !== "");
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

const machineFolders: Folders = {
  isOpen(folder) {
    try {
      accessSync(folder, constants.X_OK);
      return true;
    } catch (error) {
      return errno(error) !== "EACCES";
    }
  },
  isOwn: (folder) => lstatSync(folder).uid === process.getuid?.(),
};
