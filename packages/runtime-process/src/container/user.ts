/** Who a container runs as. */
import { readFileSync, statSync } from "node:fs";
import { type ContainerSecurityContext, RuntimeError } from "@hooklet/core/host";
import type { ContainerUser, IsolationMode } from "../container-record.js";
import type { Deps } from "../deps.js";
import type { FoundImage } from "../image/store.js";
import { RootView } from "../rootfs/view.js";

const MAX_FILE = 1024 * 1024;

export interface ResolvedUser {
  readonly user: ContainerUser;
  readonly home: string;
}

/** The fields of a pod that decide the container's user. */
export interface AskedUser
  extends Pick<ContainerSecurityContext, "runAsUsername" | "runAsGroup" | "supplementalGroups" | "runAsNonRoot"> {
  readonly runAsUser?: number | undefined;
}

/** The user of a container of this image. Throws as `resolveUser` does. */
export function resolveUserOf(
  { lowerStats, isolation }: Pick<Deps, "lowerStats" | "isolation">,
  asked: AskedUser,
  { rootfs, record }: FoundImage,
): ResolvedUser {
  const view = new RootView([{ at: "/", lower: rootfs ?? "/" }], lowerStats);
  return resolveUser(asked, record?.config.user ?? "", view, isolation.mode);
}

/**
 * runAsUser, runAsUsername or the image's `user[:group]`, resolved in the image's own passwd and group files as containerd does: a
 * number is a number, even if the image has such a name. Throws `invalid-argument` for an unknown name and for root where the pod wants another
 * user, `failed-precondition` for a user that this agent cannot become.
 */
export function resolveUser(asked: AskedUser, imageUser: string, view: RootView, mode: IsolationMode): ResolvedUser {
  if (process.getuid?.() !== 0) return ownUser(asked, view, mode);
  const [imageName = "", imageGroup] = imageUser.split(":");
  const name = asked.runAsUser !== undefined ? String(asked.runAsUser) : asked.runAsUsername || imageName || "0";
  const entry = userEntry(name, view);
  const uid = isNumber(name) ? bounded(name, "user") : bounded(entry?.[2] ?? "", "user");
  if (uid === 0 && (asked.runAsNonRoot === true || (asked.runAsUser ?? 0) !== 0)) {
    throw new RuntimeError(
      "invalid-argument",
      `user ${name} of the image is root (uid 0), and the pod asks for runAsNonRoot or another runAsUser; set runAsUser to the number that is meant`,
    );
  }
  const groups = readTable(view, "/etc/group");
  const fromImage = asked.runAsUser === undefined && !asked.runAsUsername ? imageGroup : undefined;
  const gid = asked.runAsGroup ?? groupOf(fromImage, groups) ?? bounded(entry?.[3] ?? "0", "group");
  const supplemental = [...asked.supplementalGroups, ...memberships(entry?.[0], groups)];
  return { user: { uid, gid, groups: [...new Set(supplemental)] }, home: entry?.[5] || "/" };
}

/** The line of passwd with this number, or with this name where it is none. */
function userEntry(asked: string, view: RootView): string[] | undefined {
  const passwd = readTable(view, "/etc/passwd");
  if (isNumber(asked)) return passwd.find(([, , uid]) => isNumber(uid ?? "") && Number(uid) === Number(asked));
  const entry = passwd.find(([name]) => name === asked);
  if (entry === undefined) throw unknown("user", asked, "/etc/passwd");
  return entry;
}

/** Numbers of the groups that list the user; its own group of the same name is not one of them. */
function memberships(user: string | undefined, groups: readonly string[][]): number[] {
  if (user === undefined) return [];
  return groups
    .filter(([name, , , users]) => name !== user && users?.split(",").includes(user))
    .map(([, , id]) => bounded(id ?? "", "group"));
}

function groupOf(asked: string | undefined, groups: readonly string[][]): number | undefined {
  if (asked === undefined || asked === "") return undefined;
  if (isNumber(asked)) return bounded(asked, "group");
  const entry = groups.find(([name]) => name === asked);
  if (entry === undefined) throw unknown("group", asked, "/etc/group");
  return bounded(entry[2] ?? "", "group");
}

/** An ordinary user keeps its uid on the machine; in its user namespace it looks like root. */
function ownUser(security: AskedUser, view: RootView, mode: IsolationMode): ResolvedUser {
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
