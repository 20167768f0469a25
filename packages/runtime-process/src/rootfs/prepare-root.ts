/**
 * The part of a start that looks into the container's files, volumes included: its mounts, and whether its command is there. Takes and
 * returns what JSON can hold, so that a process of its own can do it where a volume might hang.
 */
import { existsSync, mkdirSync } from "node:fs";
import { type AssembleInput, assembleRoot } from "./assemble.js";
import { type CommandRequest, checkCommand } from "./lookup.js";
import { type LowerStats, RootView } from "./view.js";

/** Makes an empty folder where a volume's source is missing, as containerd does. A file, or whatever else is there, stays. */
export function makeMissingSource(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o755 });
}

export interface RootRequest extends CommandRequest {
  /** Undefined = the machine's own root. */
  readonly assemble?: Omit<AssembleInput, "lowerStats" | "shownMounts"> & { readonly shownMounts: readonly string[] };
}

export interface PreparedRoot {
  readonly root?: string;
  readonly fstab: string;
}

/** Throws `start-error` or `invalid-argument` in words for people. */
export function prepareRoot({ assemble, ...request }: RootRequest, lowerStats: LowerStats): PreparedRoot {
  if (assemble === undefined) {
    checkCommand(new RootView([{ at: "/", upper: "/" }]), request);
    return { fstab: "" };
  }
  const { view, root, fstab } = assembleRoot({
    ...assemble,
    shownMounts: new Set(assemble.shownMounts),
    lowerStats,
  });
  checkCommand(view, request);
  return { root, fstab };
}

/** In the root of a process that runs. */
export function checkCommandIn({ root, ...request }: CommandRequest & { readonly root: string }): void {
  checkCommand(new RootView([{ at: "/", upper: root }]), request);
}
