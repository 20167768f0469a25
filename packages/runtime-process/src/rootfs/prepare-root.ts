/**
 * The part of a start that accesses the container's files, volumes included: its mounts, and the search for its command. Takes and
 * returns JSON values, so that a subprocess can run it where a volume might hang.
 */
import { existsSync, mkdirSync } from "node:fs";
import { type AssembleInput, assembleRoot } from "./assemble.js";
import { type CommandRequest, checkCommand } from "./lookup.js";
import { type LowerStats, RootView } from "./view.js";

/** Creates an empty folder where a volume's source is missing, as containerd does. An existing file of any type stays. */
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

/** Throws `start-error` or `invalid-argument` with a message for users. */
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
