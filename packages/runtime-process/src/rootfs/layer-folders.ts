import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { bind, type FstabEntry, type OverlayStyle, overlay } from "./fstab.js";
import { copyLook } from "./mount-points.js";
import type { Layer } from "./view.js";

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
