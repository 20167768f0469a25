import type { MountedFs } from "@hooklet/linux";
import type { FstabEntry, OverlayStyle } from "./fstab.js";
import type { LowerStats, RootView } from "./view.js";
import type { Reaches } from "./volume-mounts.js";

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
