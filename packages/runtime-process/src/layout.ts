/** Where the runtime keeps its state below the agent's root dir. */
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@hooklet/linux";
import { unlessMissing } from "./state-text.js";

export interface Layout {
  readonly base: string;
  readonly bin: string;
  readonly sandboxes: string;
  readonly containers: string;
  /** One watched folder for all containers: `<id>.up` = set up, `<id>.<code>` = ended, `<id>.lost` = ended unseen, `<id>.output` = what it writes. */
  readonly events: string;
  readonly images: string;
  readonly imageNames: string;
  readonly imageTemp: string;
  /** The lower layer of every container's /dev. */
  readonly devTemplate: string;
  /** Mounted over folders that a container shall not see. */
  readonly empty: string;
  /** Folders that are being deleted. */
  readonly trash: string;
}

export function layoutOf(rootDir: string): Layout {
  const base = join(rootDir, "runtime-process");
  return {
    base,
    bin: join(base, "bin"),
    sandboxes: join(base, "sandboxes"),
    containers: join(base, "containers"),
    events: join(base, "events"),
    images: join(base, "images"),
    imageNames: join(base, "image-names"),
    imageTemp: join(base, "image-temp"),
    devTemplate: join(base, "dev"),
    empty: join(base, "empty"),
    trash: join(base, "trash"),
  };
}

/** Makes all folders, for the owner only. May be called while another process uses them. */
export async function makeLayout(layout: Layout): Promise<void> {
  for (const folder of Object.values(layout)) await mkdir(folder, { recursive: true, mode: 0o700 });
}

export const containerFiles = (folder: string) => ({
  state: join(folder, "state"),
  /** Written by the container's first process: boot id, stat lines of itself and of its shim, `end`. */
  pids: join(folder, "pids"),
  /** What the tools said while the container was set up. */
  setup: join(folder, "setup"),
  /** What the container's user runs: read by its first process once it is that user. */
  launch: join(folder, "launch"),
  fstab: join(folder, "fstab"),
  cgroups: join(folder, "cgroups"),
  /** The id of the container's mount namespace. */
  namespace: join(folder, "namespace"),
  claim: (number: number) => join(folder, `claim.${number}`),
  /** How far its output has been taken into its log. */
  position: join(folder, "position"),
  /** The words of the shim. */
  start: join(folder, "start"),
});

/** Out of sight first, so that a crash in the middle leaves nothing half. */
export async function discard(layout: Layout, folder: string, name: string): Promise<void> {
  const trash = join(layout.trash, name);
  await unlessMissing(rename(folder, trash));
  await removeTree(trash);
}
