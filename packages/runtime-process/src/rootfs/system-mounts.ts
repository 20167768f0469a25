/** /proc, /sys and /dev of a container. */
import { lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Device } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core";
import { bind, type FstabEntry, rbind } from "./fstab.js";
import { makeMountPoint } from "./mount-points.js";
import type { RootBase } from "./types.js";
import { isMissing } from "../fs-errors.js";

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];
const FOLDERS = ["pts", "mqueue"];
const LINKS = { fd: "/proc/self/fd", stdin: "fd/0", stdout: "fd/1", stderr: "fd/2" };

export interface SystemMountOptions {
  readonly userNamespace: boolean;
  /** All of the machine's devices and a writable /sys. */
  readonly privileged: boolean;
  readonly devices: readonly Device[];
  /** The pod's /dev/shm. */
  readonly shm: string;
}

/** /dev is a folder of the container's own with the machine's harmless devices in it, so that mount points fit there. */
export function systemMounts(base: RootBase, options: SystemMountOptions): FstabEntry[] {
  const entries: FstabEntry[] = [];
  const put = (source: string, target: string, entry: (from: string, to: string) => FstabEntry): void => {
    const stat = statOf(source);
    if (stat === undefined) return;
    const place = makeMountPoint(base.view, target, stat.isDirectory() ? "directory" : "file");
    base.view.mount(place, source);
    entries.push(entry(source, join(base.root, place)));
  };
  const recursive = options.userNamespace || options.privileged;
  put("/proc", "/proc", (from, to) => rbind(from, to));
  put("/sys", "/sys", (from, to) =>
    recursive ? rbind(from, to, ...(options.privileged ? [] : ["ro"])) : bind(from, to, "ro"),
  );
  makeMountPoint(base.view, "/dev", "directory");
  const names = options.privileged ? allDevices() : DEVICES;
  for (const name of names) put(`/dev/${name}`, `/dev/${name}`, (from, to) => bind(from, to));
  for (const name of FOLDERS) put(`/dev/${name}`, `/dev/${name}`, (from, to) => rbind(from, to));
  put(options.shm, "/dev/shm", (from, to) => bind(from, to));
  makeLinks(base);
  for (const device of options.devices) {
    if (statOf(device.hostPath) === undefined) {
      throw new RuntimeError("invalid-argument", `device ${device.hostPath} is not there; expected a device file on the node`);
    }
    const readonly = device.permissions.includes("w") ? [] : ["ro"];
    put(device.hostPath, device.containerPath, (from, to) => bind(from, to, ...readonly));
  }
  return entries;
}

function makeLinks(base: RootBase): void {
  const { layer, rest } = base.view.owner("/dev");
  if (layer.upper === undefined) return;
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(layer.upper, rest, name));
}

function allDevices(): string[] {
  const found: string[] = [];
  for (const entry of readdirSync("/dev", { withFileTypes: true })) {
    if (entry.isCharacterDevice() || entry.isBlockDevice()) found.push(entry.name);
  }
  return found;
}

function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
