/** Which of the machine's mounts a container of image `host` shall see besides `/`. */
import { fitsOverlay } from "./fstab.js";
import type { MountedFs } from "./mountinfo.js";

/** Disk file systems that are known to work below an overlay. */
const OVERLAY_TYPES = new Set(["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"]);

/** Shown read-only. All other types are the kernel's own, or hold nothing that belongs to a container (tmpfs). */
const READ_ONLY_TYPES = new Set([
  "9p",
  "ceph",
  "cifs",
  "exfat",
  "fuseblk",
  "iso9660",
  "nfs",
  "nfs4",
  "ntfs3",
  "smb3",
  "squashfs",
  "vfat",
  "virtiofs",
  "zfs",
]);

/** Below these the container has its own. */
const OWN = ["/proc", "/sys", "/dev", "/run"];

/** Other programs mount here for a moment; what has gone again when it is to be shown would fail the container. */
const SHORT_LIVED = ["/tmp", "/var/tmp"];

/** In order of depth, the first of several on one place dropped. */
export function machineMounts(mounts: readonly MountedFs[]): { readonly at: string; readonly overlay: boolean }[] {
  const last = new Map(mounts.map((mount) => [mount.mountPoint, mount]));
  const found: { at: string; overlay: boolean }[] = [];
  for (const { mountPoint, type } of last.values()) {
    if (mountPoint === "/" || OWN.some((own) => mountPoint === own)) continue;
    if ([...OWN, ...SHORT_LIVED].some((folder) => mountPoint.startsWith(`${folder}/`))) continue;
    const overlay = OVERLAY_TYPES.has(type) && fitsOverlay(mountPoint);
    if (overlay || OVERLAY_TYPES.has(type) || READ_ONLY_TYPES.has(type)) found.push({ at: mountPoint, overlay });
  }
  return found.sort((a, b) => a.at.split("/").length - b.at.split("/").length);
}

/** True when something is mounted on or below `path`. */
export function hasMounts(mounts: readonly MountedFs[], path: string, which: "on" | "below"): boolean {
  return mounts.some(({ mountPoint }) => (which === "on" ? mountPoint === path : mountPoint.startsWith(`${path}/`)));
}
