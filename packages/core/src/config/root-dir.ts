/** The default root directory. */
import { homedir } from "node:os";
import { join } from "node:path";

/** Root dir of the machine's own agent. What a kubelet has in fixed places (logs, cgroups, plugin sockets) belongs to that agent alone. */
export const USUAL_ROOT_DIR = "/var/lib/hooklet";

/** `/var/lib/hooklet` as root, else hooklet's folder of the user's state. */
export function defaultRootDir(uid: number, env: Readonly<Record<string, string | undefined>>): string {
  if (uid === 0) return USUAL_ROOT_DIR;
  const state = env.XDG_STATE_HOME;
  // The XDG specification: a relative path is to be ignored.
  return join(state?.startsWith("/") ? state : join(env.HOME ?? homedir(), ".local/state"), "hooklet");
}

interface LogPlaces {
  readonly rootDir: string;
  readonly node: { readonly podLogsDir?: string | undefined };
}

/**
 * Folder of the container logs. An agent removes the log folders of pods that it does not know, so only the machine's own agent
 * uses the runtime's usual folder; every other one logs below its root dir.
 *
 * @param usual the runtime's usual folder, where it has one
 */
export function podLogsDirOf({ rootDir, node }: LogPlaces, usual: string | undefined): string {
  return node.podLogsDir ?? (rootDir === USUAL_ROOT_DIR ? usual : undefined) ?? join(rootDir, "logs");
}
