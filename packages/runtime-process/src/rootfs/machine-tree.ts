/** The machine's files as a root for a user namespace: one overlay per top-level folder. */
import { type Dirent, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@hooklet/core";
import { bind, fitsOverlay, rbind } from "./fstab.js";
import type { LayerFolders } from "./layer-folders.js";
import { hasMounts } from "./machine-mounts.js";
import { copyLook } from "./mount-points.js";
import type { MountedFs } from "./mountinfo.js";
import type { RootSource } from "./types.js";
import type { Layer } from "./view.js";
import { readOnlyBelow } from "./volume-mounts.js";

const OWN = new Set(["/proc", "/sys", "/dev"]);

/** More folders than this are shown as the machine has them, without a layer of their own. */
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
      if (OWN.has(path) || this.source.folder === path) continue;
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
    // Programs count on writing here. Where a mount below it keeps the kernel from an overlay, they get an empty one.
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
