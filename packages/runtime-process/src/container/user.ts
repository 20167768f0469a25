/** Who a container runs as. */
import { readFileSync, statSync } from "node:fs";
import { type ContainerSecurityContext, RuntimeError } from "@hooklet/core/host";
import type { ContainerUser, IsolationMode } from "../container-record.js";
import type { RootView } from "../rootfs/view.js";

const MAX_FILE = 1024 * 1024;

export interface ResolvedUser {
  readonly user: ContainerUser;
  readonly home: string;
}

/**
 * runAsUser, runAsUsername or the image's `user[:group]`, looked up in the image's own passwd and group files.
 * Throws `invalid-argument` for an unknown name, `failed-precondition` for a user that this agent cannot become.
 */
export function resolveUser(
  security: ContainerSecurityContext,
  imageUser: string,
  view: RootView,
  mode: IsolationMode,
): ResolvedUser {
  if (process.getuid?.() !== 0) return ownUser(security, view, mode);
  const passwd = readTable(view, "/etc/passwd");
  const groups = readTable(view, "/etc/group");
  const [imageName = "", imageGroup] = imageUser.split(":");
  const asked =
    security.runAsUser !== undefined ? String(security.runAsUser) : security.runAsUsername || imageName || "0";
  const entry = passwd.find(([name, , uid]) => name === asked || (isNumber(asked) && uid === asked));
  if (entry === undefined && !isNumber(asked)) throw unknown("user", asked, "/etc/passwd");
  const uid = bounded(entry?.[2] ?? asked, "user");
  const fromImage = security.runAsUser === undefined && !security.runAsUsername ? imageGroup : undefined;
  const gid = security.runAsGroup ?? groupOf(fromImage, groups) ?? bounded(entry?.[3] ?? "0", "group");
  const member = groups.filter(([, , , users]) => entry?.[0] !== undefined && users?.split(",").includes(entry[0]));
  const supplemental = [...security.supplementalGroups, ...member.map(([, , id]) => bounded(id ?? "", "group"))];
  return { user: { uid, gid, groups: [...new Set(supplemental)] }, home: entry?.[5] || "/" };
}

function groupOf(asked: string | undefined, groups: readonly string[][]): number | undefined {
  if (asked === undefined || asked === "") return undefined;
  if (isNumber(asked)) return bounded(asked, "group");
  const entry = groups.find(([name]) => name === asked);
  if (entry === undefined) throw unknown("group", asked, "/etc/group");
  return bounded(entry[2] ?? "", "group");
}

/** An ordinary user is itself on the machine; in its user namespace it looks like root. */
function ownUser(security: ContainerSecurityContext, view: RootView, mode: IsolationMode): ResolvedUser {
  const own = process.getuid?.() ?? 0;
  const seen = mode === "user" ? 0 : own;
  const asked = security.runAsUser;
  if (asked !== undefined && asked !== own && asked !== seen) {
    throw new RuntimeError(
      "failed-precondition",
      `cannot run as user ${asked}: the agent is the ordinary user ${own} and cannot become another; leave runAsUser out or run the agent as root`,
    );
  }
  const group = process.getgid?.() ?? 0;
  const entry = readTable(view, "/etc/passwd").find(([, , uid]) => uid === String(seen));
  return { user: { uid: seen, gid: mode === "user" ? 0 : group, groups: [] }, home: entry?.[5] || "/" };
}

/** Lines of a passwd-like file in the root, split at the colons; none when there is no such file. */
function readTable(view: RootView, path: string): string[][] {
  const { host } = view.resolve(path);
  if (host === undefined) return [];
  const stat = statSync(host, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > MAX_FILE) return [];
  return readFileSync(host, "utf8")
    .split("\n")
    .map((line) => line.split(":"));
}

function isNumber(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}

function bounded(text: string, what: string): number {
  const id = Number(text);
  if (isNumber(text) && id < 2 ** 32 - 1) return id;
  throw new RuntimeError(
    "invalid-argument",
    `expected a ${what} id from 0 to 4294967294, found ${JSON.stringify(text)}`,
  );
}

function unknown(what: string, name: string, file: string): RuntimeError {
  return new RuntimeError(
    "invalid-argument",
    `unable to find ${what} ${name}: no matching entries in ${file} of the image`,
  );
}
