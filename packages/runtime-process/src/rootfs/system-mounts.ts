/** /proc, /sys and /dev of a container. */

import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { Device } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { errno } from "@hooklet/core/subsystem";
import { type MountedFs, removeTree } from "@hooklet/linux";
import { bind, type FstabEntry, ownFs, rbind } from "./fstab.js";
import type { RootBase } from "./machine-tree.js";
import { makeMountPoint } from "./mount-points.js";
import { type Reaches, readOnlyBelow } from "./volume-mounts.js";

/** What of the kernel's own is the container's alone. */
export interface OwnKernelFs {
  /** The container has a private PID namespace. */
  readonly ownPids: boolean;
  readonly ownIpc: boolean;
  readonly ownTerminals: boolean;
}

interface SystemMountOptions extends OwnKernelFs {
  readonly userNamespace: boolean;
  /** All of the machine's devices and a writable /sys. */
  readonly privileged: boolean;
  readonly devices: readonly Device[];
  /** The pod's /dev/shm. */
  readonly shm: string;
  readonly mounts: readonly MountedFs[];
  readonly reaches: Reaches;
}

const DATA_ONLY = ["nosuid", "nodev", "noexec"] as const;

/** Of a pod's /dev/shm: 64 MiB, as in containerd. */
export const SHM_OPTIONS = ["size=67108864", "mode=1777", ...DATA_ONLY] as const;

/** To be mounted after the base's own entries, which bring a /dev of the container's own. */
export function systemMounts(base: RootBase, options: SystemMountOptions): FstabEntry[] {
  const entries: FstabEntry[] = [];
  const { privileged, userNamespace } = options;
  const put = (
    source: string,
    target: string,
    entry: (from: string, to: string) => FstabEntry | readonly FstabEntry[],
  ): void => {
    const stat = lstatSync(source, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const place = makeMountPoint(base.view, target, stat.isDirectory() ? "directory" : "file");
    base.view.mount(place, source, source === "/proc");
    entries.push(...[entry(source, join(base.root, place))].flat());
  };
  put("/proc", "/proc", (from, to) => {
    if (options.ownPids) return ownFs("proc", to, ...DATA_ONLY);
    // The kernel lets a user namespace have these with all that is mounted in them, or not at all.
    return userNamespace ? rbind(from, to) : bind(from, to, ...DATA_ONLY);
  });
  put("/sys", "/sys", (from, to) => {
    if (privileged) return rbind(from, to);
    if (!userNamespace) return bind(from, to, "ro", ...DATA_ONLY);
    return [rbind(from, to, "ro", ...DATA_ONLY), ...readOnlyBelow(options.mounts, from, to, options.reaches)];
  });
  for (const name of privileged ? allDevices() : DEVICES)
    put(`/dev/${name}`, `/dev/${name}`, (from, to) => bind(from, to));
  putTerminals(put, options, base.root);
  put("/dev/mqueue", "/dev/mqueue", (from, to) =>
    options.ownIpc ? ownFs("mqueue", to, ...DATA_ONLY) : rbind(from, to),
  );
  put(options.shm, "/dev/shm", (from, to) =>
    userNamespace ? ownFs("tmpfs", to, ...SHM_OPTIONS) : bind(from, to, ...DATA_ONLY),
  );
  for (const device of options.devices) {
    checkDevice(device.hostPath, lstatSync(device.hostPath, { throwIfNoEntry: false }));
    const readonly = device.permissions.includes("w") ? [] : ["ro"];
    put(device.hostPath, device.containerPath, (from, to) => bind(from, to, ...readonly));
  }
  return entries;
}

type Put = (
  source: string,
  target: string,
  entry: (from: string, to: string) => FstabEntry | readonly FstabEntry[],
) => void;

function putTerminals(put: Put, { ownTerminals, userNamespace }: SystemMountOptions, root: string): void {
  if (!ownTerminals) {
    put("/dev/ptmx", "/dev/ptmx", (from, to) => bind(from, to));
    put("/dev/pts", "/dev/pts", (from, to) => rbind(from, to));
    return;
  }
  // The group that terminals belong to on all machines; a user namespace of one user does not know it.
  const group = userNamespace ? [] : ["gid=5"];
  put("/dev/pts", "/dev/pts", (_from, to) =>
    ownFs("devpts", to, "newinstance", "ptmxmode=0666", "mode=0620", ...group, "nosuid", "noexec"),
  );
  put("/dev/ptmx", "/dev/ptmx", (_from, to) => bind(join(root, "dev/pts/ptmx"), to));
}

/**
 * Last of all: in the place where an exec starts, above the container's root, the terminals are the container's as well. So the terminal that
 * script(1) creates there has its name in the container, and belongs to no process outside.
 */
export function terminalsForExec(root: string): FstabEntry[] {
  if (lstatSync("/dev/pts", { throwIfNoEntry: false }) === undefined) return [];
  return [bind(join(root, "dev/pts"), "/dev/pts"), bind(join(root, "dev/pts/ptmx"), "/dev/ptmx")];
}

function checkDevice(path: string, stat: Stats | undefined): void {
  if (stat !== undefined) return;
  throw new RuntimeError("invalid-argument", `device ${path} is not there; expected a device file on the node`);
}

/** All but the multiplexer of terminals, which goes with /dev/pts. */
function allDevices(): string[] {
  return readdirSync("/dev", { withFileTypes: true })
    .filter((entry) => entry.isCharacterDevice() || entry.isBlockDevice())
    .map(({ name }) => name)
    .filter((name) => name !== "ptmx");
}

// The lower layer of every container's /dev: places to mount on, made once.

/** The machine's harmless devices. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
const FOLDERS = ["pts", "mqueue", "shm"] as const;

const LINKS = { fd: "/proc/self/fd", stdin: "fd/0", stdout: "fd/1", stderr: "fd/2" };

/** May be called again on an existing folder in use. Entries that differ from the template are removed and created again. */
export async function makeDevTemplate(folder: string): Promise<void> {
  // A container's /dev has its mode, and every user must be able to enter.
  chmodSync(folder, 0o755);
  for (const name of FOLDERS) {
    await made(
      join(folder, name),
      (found) => found.isDirectory(),
      (file) => mkdirSync(file, { mode: 0o755 }),
    );
  }
  // Nearly every pod mounts its termination log here.
  for (const name of [...DEVICES, "ptmx", "termination-log"]) {
    await made(
      join(folder, name),
      (found) => found.isFile(),
      (file) => closeSync(openSync(file, "wx", 0o666)),
    );
  }
  for (const [name, target] of Object.entries(LINKS)) {
    const isLink = (found: Stats, file: string): boolean => found.isSymbolicLink() && readlinkSync(file) === target;
    await made(join(folder, name), isLink, (file) => symlinkSync(target, file));
  }
}

async function made(
  file: string,
  isRight: (found: Stats, file: string) => boolean,
  make: (file: string) => void,
): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && isRight(found, file)) return;
  if (found !== undefined) await removeTree(file);
  try {
    make(file);
  } catch (error) {
    // Another agent of this folder was faster.
    if (errno(error) !== "EEXIST") throw error;
  }
}
