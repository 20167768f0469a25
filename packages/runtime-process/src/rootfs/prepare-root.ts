/**
 * The part of a start that looks into the container's files, volumes included: its mounts, and whether its command is there. Takes and
 * returns what JSON can hold, so that a process of its own can do it where a volume might hang.
 */

import { type AssembleInput, assembleRoot } from "./assemble.js";
import { checkCommand, findInPath } from "./lookup.js";
import type { LowerStats } from "./lower-stats.js";
import { RootView } from "./view.js";

export interface CommandRequest {
  readonly command: string;
  readonly env: readonly (readonly [string, string])[];
  readonly workingDir: string;
  /** Whether env(1) is needed in the container. */
  readonly needsEnv: boolean;
}

export interface RootRequest extends CommandRequest {
  /** Undefined = the machine's own root. */
  readonly assemble?: Omit<AssembleInput, "lowerStats" | "shownMounts"> & { readonly shownMounts: readonly string[] };
}

export interface PreparedRoot {
  readonly root?: string;
  readonly fstab: string;
  readonly insideEnv?: string;
}

/** Throws `start-error` or `invalid-argument` in words for people. */
export function prepareRoot({ assemble, ...request }: RootRequest, lowerStats: LowerStats): PreparedRoot {
  if (assemble === undefined) return { fstab: "", ...findCommand(new RootView([{ at: "/", upper: "/" }]), request) };
  const { view, root, fstab } = assembleRoot({
    ...assemble,
    shownMounts: new Set(assemble.shownMounts),
    lowerStats,
  });
  return { root, fstab, ...findCommand(view, request) };
}

/** In the root of a process that runs. */
export function findCommandIn(request: CommandRequest & { readonly root: string }): Pick<PreparedRoot, "insideEnv"> {
  return findCommand(new RootView([{ at: "/", upper: request.root }]), request);
}

function findCommand(
  view: RootView,
  { command, env, workingDir, needsEnv }: CommandRequest,
): Pick<PreparedRoot, "insideEnv"> {
  checkCommand(view, command, env, workingDir);
  const insideEnv = needsEnv ? findInPath(view, "env", env, "/") : undefined;
  return insideEnv === undefined ? {} : { insideEnv };
}
