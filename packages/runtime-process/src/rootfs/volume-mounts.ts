/** How a folder or file of the machine is mounted into a container, with all that is mounted below it. Pure. */
import { join } from "node:path";
import type { Mount } from "@hooklet/core";
import { type MountedFs, mountOf, mountsBelow } from "@hooklet/linux";
import { type FstabEntry, rbind, reflag } from "./fstab.js";

/** Whether a process in the container, or mount(8), can reach a mount point. */
export type Reaches = (mountPoint: string) => boolean;

export interface VolumeMount {
  readonly entry: FstabEntry;
  /** The flags of the mount, to repeat when its flags are changed again. */
  readonly flags: readonly string[];
  /** Bind mounts are made with what lies below them, but flags go to the topmost alone: these follow. */
  readonly below: readonly FstabEntry[];
}

/**
 * `real`: the source without links. Set-user-id files and device files of a volume have no effect, unless the container is
 * privileged. A read-only mount includes all mounts below it (KEP-3857), whatever wrote there before.
 */
export function volumeMount(
  mounts: readonly MountedFs[],
  { readonly, propagation }: Pick<Mount, "readonly" | "propagation">,
  real: string,
  target: string,
  { privileged, reaches }: { readonly privileged: boolean; readonly reaches: Reaches },
): VolumeMount {
  const added = [...(privileged ? [] : ["nosuid", "nodev"]), ...(readonly ? ["ro"] : [])];
  const flags = together(mountOf(mounts, real)?.flags ?? [], added);
  const options = propagation === "PRIVATE" ? ["rprivate"] : [];
  return {
    entry: rbind(real, target, ...options, ...flags),
    flags,
    below: added.length === 0 ? [] : below(mounts, real, target, added, reaches),
  };
}

/** What is mounted below a folder that is shown read-only. */
export function readOnlyBelow(
  mounts: readonly MountedFs[],
  real: string,
  target: string,
  reaches: Reaches,
): readonly FstabEntry[] {
  return below(mounts, real, target, ["ro"], reaches);
}

function below(
  mounts: readonly MountedFs[],
  real: string,
  target: string,
  added: readonly string[],
  reaches: Reaches,
): FstabEntry[] {
  const from = real === "/" ? "" : real;
  return mountsBelow(mounts, real)
    .filter(({ type, mountPoint }) => type !== "autofs" && reaches(mountPoint))
    .map(({ mountPoint, flags }) => reflag(join(target, mountPoint.slice(from.length)), ...together(flags, added)));
}

function together(flags: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...flags, ...added])];
}
