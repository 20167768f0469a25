/** Finds a command in a container's root before it is started, with runc's message when it is missing. */
import { posix } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import type { RootView } from "./view.js";

/** Of a container that says nothing of its PATH. */
export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

type Entry = readonly [name: string, value: string];

export interface CommandRequest {
  readonly command: string;
  readonly env: readonly Entry[];
  readonly workingDir: string;
}

/** Throws `start-error` with the message of other runtimes. */
export function checkCommand(view: RootView, { command, env, workingDir }: CommandRequest): void {
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
