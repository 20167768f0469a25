/** The machine's files as a root for a user namespace: one overlay per top-level folder. */

import { type Dirent, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@hooklet/core/subsystem";
import type { MountedFs } from "@hooklet/linux";
import { bind, type FstabEntry, fitsOverlay, type OverlayStyle, overlay, rbind } from "./fstab.js";
import { copyLook } from "./mount-points.js";
import type { Layer, LowerStats, RootView } from "./view.js";
import { type Reaches, readOnlyBelow } from "./volume-mounts.js";

export interface RootBase {
  /** The folder that becomes `/`. */
  readonly root: string;
  readonly view: RootView;
  readonly entries: FstabEntry[];
}

export interface RootSource extends OverlayStyle {
  /** The container's folder. */
  readonly folder: string;
  /** The image's files; undefined = image `host`. */
  readonly image?: string;
  /** The lower layer of /dev. */
  readonly devTemplate: string;
  /** Mount points of the machine that a container of image `host` shows. */
  readonly shownMounts: ReadonlySet<string>;
  readonly lowerStats: LowerStats;
  /** What the machine has mounted now. */
  readonly mounts: readonly MountedFs[];
  readonly reaches: Reaches;
  /** Paths at which something will be mounted or made. */
  readonly needed: readonly string[];
}

/** Makes upper and work folders, one pair per overlay. */
export class LayerFolders {
  readonly entries: FstabEntry[] = [];
  #count = 0;

  constructor(
    readonly folder: string,
    readonly style: OverlayStyle,
  ) {}

  /** An overlay on `target` with a fresh writable layer. */
  add(layer: { readonly at: string; readonly lower: string }, target: string): Layer {
    const number = this.#count++;
    const upper = join(this.folder, `upper${number}`);
    const work = join(this.folder, `work${number}`);
    mkdirSync(upper, { mode: 0o755 });
    mkdirSync(work, { mode: 0o700 });
    copyLook(upper, lstatSync(layer.lower));
    this.entries.push(overlay({ lower: layer.lower, upper, work, target }, this.style));
    return { ...layer, upper };
  }

  /** A file system of the machine below `/`: an overlay where the kernel can, else a read-only view. */
  addMount(mount: { readonly at: string; readonly overlay: boolean }, root: string): Layer {
    const target = join(root, mount.at);
    if (mount.overlay) return this.add({ at: mount.at, lower: mount.at }, target);
    this.entries.push(bind(mount.at, target, "ro", "nosuid", "nodev"));
    return { at: mount.at, lower: mount.at };
  }
}

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
const OWN_MOUNTS = ["/proc", "/sys", "/dev", "/run"];

/** Other programs mount here for a moment; what has gone again when it is to be shown would fail the container. */
const SHORT_LIVED = ["/tmp", "/var/tmp"];

/** In order of depth, the first of several on one place dropped. */
export function machineMounts(mounts: readonly MountedFs[]): { readonly at: string; readonly overlay: boolean }[] {
  const last = new Map(mounts.map((mount) => [mount.mountPoint, mount]));
  const found: { at: string; overlay: boolean }[] = [];
  for (const { mountPoint, type } of last.values()) {
    if (mountPoint === "/" || OWN_MOUNTS.some((own) => mountPoint === own)) continue;
    if ([...OWN_MOUNTS, ...SHORT_LIVED].some((folder) => mountPoint.startsWith(`${folder}/`))) continue;
    const overlay = OVERLAY_TYPES.has(type) && fitsOverlay(mountPoint);
    if (overlay || OVERLAY_TYPES.has(type) || READ_ONLY_TYPES.has(type)) found.push({ at: mountPoint, overlay });
  }
  return found.sort((a, b) => a.at.split("/").length - b.at.split("/").length);
}

/** True when something is mounted on or below `path`. */
function hasMounts(mounts: readonly MountedFs[], path: string, which: "on" | "below"): boolean {
  return mounts.some(({ mountPoint }) => (which === "on" ? mountPoint === path : mountPoint.startsWith(`${path}/`)));
}

const OWN_FOLDERS = new Set(["/proc", "/sys", "/dev"]);

/** More folders than this are shown as the machine has them, without a separate layer. */
const MAX_ENTRIES = 256;

export function machineTree(
  source: RootSource,
  folders: LayerFolders,
  root: string,
  mounts: readonly MountedFs[],
): Layer[] {
  const build = new TreeBuild(source, folders, root, mounts);
  // Writes to `/` itself go to the skeleton.
  folders.entries.push(bind(root, root));
  build.skeleton("/");
  return build.layers;
}

class TreeBuild {
  readonly layers: Layer[] = [];
  #entries = 0;

  constructor(
    readonly source: RootSource,
    readonly folders: LayerFolders,
    readonly root: string,
    readonly mounts: readonly MountedFs[],
  ) {}

  /** Shows the entries of a folder of the machine one by one, in a folder of the container's own. */
  skeleton(folder: string): void {
    this.layers.push({ at: folder, upper: join(this.root, folder) });
    for (const entry of listFolder(folder)) {
      const path = join(folder, entry.name);
      if (OWN_FOLDERS.has(path) || this.source.folder === path) continue;
      if (entry.isSymbolicLink()) symlinkSync(readlinkSync(path), join(this.root, path));
      else if (entry.isDirectory()) this.#folder(path);
    }
  }

  #folder(path: string): void {
    const target = join(this.root, path);
    mkdirSync(target, { mode: 0o755 });
    copyLook(target, lstatSync(path));
    // What lies in a /run on tmpfs belongs to the machine's services.
    if (path === "/run" && hasMounts(this.mounts, path, "on")) return;
    const locked = hasMounts(this.mounts, path, "below");
    // Programs expect to write here. Where a mount below it prevents an overlay, they get an empty one.
    if (path === "/tmp" && locked) return;
    const crowded = ++this.#entries > MAX_ENTRIES;
    if (!locked && !crowded && fitsOverlay(path)) {
      this.layers.push(this.folders.add({ at: path, lower: path }, target));
    } else if (locked && !crowded && this.source.needed.some((needed) => needed.startsWith(`${path}/`))) {
      this.skeleton(path);
    } else {
      const below = readOnlyBelow(this.mounts, path, target, this.source.reaches);
      this.folders.entries.push(rbind(path, target, "ro"), ...below);
      this.layers.push({ at: path, lower: path });
    }
  }
}

function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (errno(error) === "EACCES") return [];
    throw error;
  }
}
