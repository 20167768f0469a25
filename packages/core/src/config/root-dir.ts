import { homedir } from "node:os";
import { join } from "node:path";

/** `/var/lib/hooklet` as root, else hooklet's folder of the user's state. */
export function defaultRootDir(uid: number, env: Readonly<Record<string, string | undefined>>): string {
  if (uid === 0) return "/var/lib/hooklet";
  const state = env.XDG_STATE_HOME;
  // The XDG specification: a relative path is to be ignored.
  return join(state?.startsWith("/") ? state : join(env.HOME ?? homedir(), ".local/state"), "hooklet");
}
