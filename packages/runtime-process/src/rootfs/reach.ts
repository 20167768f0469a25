/** Which mounts of the machine the agent's user and its containers can reach. */

import { accessSync, constants, lstatSync } from "node:fs";
import { posix } from "node:path";
import { podVolumeOf } from "@hooklet/core/internal";
import { errno } from "@hooklet/core/subsystem";
import { covers, type MountedFs, mountOf } from "@hooklet/linux";
import type { ContainerRecord } from "../container-record.js";
import type { Reaches } from "./volume-mounts.js";

/** What the file system says to a user. */
interface Folders {
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

// Which paths may hang although the agent's own disk does not.

/** File systems whose answers come from elsewhere. */
const REMOTE = /^(?:9p|afs|autofs|ceph|cifs|fuse(?:\..*|blk|ctl)?|glusterfs|lustre|ncpfs|nfs4?|smb3|virtiofs)$/;

/**
 * Whether this link-free path lies on a file system that may hang. The root of the machine does not count, even if it is
 * remote: if that hangs, so does the agent.
 */
export function isBehindRemote(mounts: readonly MountedFs[], path: string): boolean {
  return mounts.some(({ mountPoint, type }) => mountPoint !== "/" && REMOTE.test(type) && covers(mountPoint, path));
}

/**
 * The agent's own paths, except volumes: below its root dir, on that disk or in memory, and not in a volume, where containers may mount what hangs. Without a helper only these are accessed: if they hang,
 * the agent cannot work at all.
 */
export function isOwnPath(mounts: readonly MountedFs[], rootDir: string, path: string): boolean {
  const whole = posix.resolve(path);
  if (!covers(rootDir, whole) || podVolumeOf(whole) !== undefined) return false;
  const mount = mountOf(mounts, whole);
  return mount !== undefined && (mount.type === "tmpfs" || mount.device === mountOf(mounts, rootDir)?.device);
}

/** The path of a container's that may hang; undefined when all are the agent's own or on the machine's own disks. */
export function foreignPath(
  mounts: readonly MountedFs[],
  rootDir: string,
  shown: ReadonlySet<string>,
  { config, rootfs }: Pick<ContainerRecord, "config" | "rootfs">,
): string | undefined {
  const foreign = config.mounts.map(({ hostPath }) => hostPath).filter((path) => !isOwnPath(mounts, rootDir, path));
  // What several pods share comes first: when it hangs, they hang together.
  const volume = foreign.find((path) => podVolumeOf(path) === undefined) ?? foreign[0];
  if (volume !== undefined) return volume;
  if (rootfs !== undefined) return undefined;
  return mounts.find(({ mountPoint, type }) => shown.has(mountPoint) && REMOTE.test(type))?.mountPoint;
}
