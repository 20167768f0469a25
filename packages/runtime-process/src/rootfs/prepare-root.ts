/**
 * The part of a start that accesses the container's files, volumes included: its mounts, and the search for its command. Takes and returns
 * JSON values, so that a subprocess can run it where a volume might hang.
 */

import { existsSync, mkdirSync } from "node:fs";
import { posix } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import { readMounts } from "@hooklet/linux";
import { type AssembleInput, assembleRoot } from "./assemble.js";
import { type LowerStats, RootView } from "./view.js";

/** Creates an empty folder where a volume's source is missing, as containerd does. An existing file of any type stays. */
export function makeMissingSource(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o755 });
}

export interface RootRequest extends CommandRequest {
  /** Undefined = the machine's own root. */
  readonly assemble?: Omit<AssembleInput, "lowerStats" | "shownMounts" | "host"> & {
    readonly shownMounts: readonly string[];
  };
}

export interface PreparedRoot {
  readonly root?: string;
  readonly fstab: string;
}

/** Throws `start-error` or `invalid-argument` with a message for users. */
export function prepareRoot(
  { assemble, ...request }: RootRequest,
  lowerStats: LowerStats,
  host = readMounts(),
): PreparedRoot {
  if (assemble === undefined) {
    checkCommand(new RootView([{ at: "/", upper: "/" }]), request);
    return { fstab: "" };
  }
  const { view, root, fstab } = assembleRoot({
    ...assemble,
    shownMounts: new Set(assemble.shownMounts),
    host,
    lowerStats,
  });
  checkCommand(view, request);
  return { root, fstab };
}

/** In the root of a process that runs. */
export function checkCommandIn({ root, ...request }: CommandRequest & { readonly root: string }): void {
  checkCommand(new RootView([{ at: "/", upper: root }]), request);
}

// Finds a command in a container's root before it is started, with runc's message when it is missing.

/** Of a container that says nothing of its PATH. */
export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

type Entry = readonly [name: string, value: string];

export interface CommandRequest {
  readonly command: string;
  readonly env: readonly Entry[];
  readonly workingDir: string;
}

/** Throws `start-error` with the message of other runtimes. */
function checkCommand(view: RootView, { command, env, workingDir }: CommandRequest): void {
  if (command.includes("/")) {
    const found = view.resolve(posix.resolve(workingDir, command));
    if (found.stat === undefined) throw startError(command, `stat ${command}: no such file or directory`);
    if (found.stat.isDirectory()) throw startError(command, "is a directory");
    if ((found.stat.mode & 0o111) === 0) throw startError(command, "permission denied");
    return;
  }
  if (command === "" || findInPath(view, command, env, workingDir) === undefined) {
    throw startError(command, "executable file not found in $PATH");
  }
}

/** The container path of an executable file; undefined when no folder of PATH has it. */
function findInPath(view: RootView, command: string, env: readonly Entry[], workingDir: string): string | undefined {
  const path = env.findLast(([name]) => name === "PATH")?.[1] ?? DEFAULT_PATH;
  for (const folder of path.split(":")) {
    const candidate = posix.resolve(workingDir, folder, command);
    const { stat } = view.resolve(candidate);
    if (stat?.isFile() && (stat.mode & 0o111) !== 0) return candidate;
  }
  return undefined;
}

export function startError(command: string, why: string): RuntimeError {
  return new RuntimeError("start-error", `exec: ${JSON.stringify(command)}: ${why}`);
}
