/** Lines of /proc/self/mountinfo. Pure. */

import { posix } from "node:path";

/** Flags of one mount that a bind mount of it must keep: mount(8) drops those that are not repeated. */
const MOUNT_FLAGS = ["ro", "nosuid", "nodev", "noexec"] as const;

export type MountFlag = (typeof MOUNT_FLAGS)[number];

export interface MountedFs {
  readonly mountPoint: string;
  readonly type: string;
  readonly readonly: boolean;
  /** What this mount forbids, of MOUNT_FLAGS. */
  readonly flags: readonly MountFlag[];
  /** `major:minor`. */
  readonly device: string;
  /** Options of the file system itself, for example the controllers of a cgroup hierarchy. */
  readonly superOptions: readonly string[];
}

/** By its line: each names another mount. */
export type MountTable = ReadonlyMap<string, MountedFs>;

/** Mounts in the order they were made, with paths without links. A later one on the same place hides the earlier one. */
export function parseMountinfo(text: string): readonly MountedFs[] {
  return [...mountTable(text).values()];
}

/** @param known an earlier table: what it has is not parsed again, for a machine may have thousands of mounts */
export function mountTable(text: string, known: MountTable = new Map()): MountTable {
  const table = new Map<string, MountedFs>();
  for (const line of text.split("\n")) {
    const mount = known.get(line) ?? parseLine(copyOf(line));
    if (mount !== undefined) table.set(line, mount);
  }
  return table;
}

/** V8 keeps a whole text alive for a part of it. */
function copyOf(part: string): string {
  return Buffer.from(part).toString();
}

function parseLine(line: string): MountedFs | undefined {
  const [before, after] = line.split(" - ");
  const [, , device = "", , mountPoint, flags = ""] = before?.split(" ") ?? [];
  const [type, , superOptions] = after?.split(" ") ?? [];
  if (mountPoint === undefined || type === undefined) return undefined;
  const options = flags.split(",");
  return {
    mountPoint: unescapePath(mountPoint),
    type,
    readonly: options.includes("ro"),
    flags: MOUNT_FLAGS.filter((flag) => options.includes(flag)),
    device,
    superOptions: superOptions?.split(",") ?? [],
  };
}

/** By its place, of one list. */
const placed = new WeakMap<readonly MountedFs[], ReadonlyMap<string, MountedFs>>();

/** The mount that a link-free path lies on: of several on one place the last. */
export function mountOf(mounts: readonly MountedFs[], path: string): MountedFs | undefined {
  const at = placed.get(mounts) ?? new Map(mounts.map((mount) => [mount.mountPoint, mount]));
  placed.set(mounts, at);
  let place = path;
  while (!at.has(place) && place !== posix.dirname(place)) place = posix.dirname(place);
  return at.get(place);
}

/** What is mounted below a link-free path, each place once. */
export function mountsBelow(mounts: readonly MountedFs[], path: string): MountedFs[] {
  const above = path === "/" ? "/" : `${path}/`;
  const below = mounts.filter(({ mountPoint }) => mountPoint !== "/" && mountPoint.startsWith(above));
  return [...new Map(below.map((mount) => [mount.mountPoint, mount])).values()];
}

/** Whether a link-free path is this place or lies below it. */
export function covers(at: string, path: string): boolean {
  return at === "/" || path === at || path.startsWith(`${at}/`);
}

function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
