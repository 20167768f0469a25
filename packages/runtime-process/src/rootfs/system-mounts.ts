/** /proc, /sys and /dev of a container. */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Device } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { DEVICE_FOLDERS, DEVICES } from "./dev-template.js";
import { bind, type FstabEntry, rbind } from "./fstab.js";
import { makeMountPoint } from "./mount-points.js";
import type { RootBase } from "./types.js";

export interface SystemMountOptions {
  readonly userNamespace: boolean;
  /** All of the machine's devices and a writable /sys. */
  readonly privileged: boolean;
  readonly devices: readonly Device[];
  /** The pod's /dev/shm. */
  readonly shm: string;
}

/** To be mounted after the base's own entries, which bring a /dev of the container's own. */
export function systemMounts(base: RootBase, options: SystemMountOptions): FstabEntry[] {
  const entries: FstabEntry[] = [];
  const put = (source: string, target: string, entry: (from: string, to: string) => FstabEntry): void => {
    const stat = lstatSync(source, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const place = makeMountPoint(base.view, target, stat.isDirectory() ? "directory" : "file");
    base.view.mount(place, source, source === "/proc");
    entries.push(entry(source, join(base.root, place)));
  };
  const { privileged } = options;
  put("/proc", "/proc", (from, to) => rbind(from, to));
  // The kernel lets a user namespace have these with all that is mounted in them, or not at all.
  if (options.userNamespace || privileged)
    put("/sys", "/sys", (from, to) => rbind(from, to, ...(privileged ? [] : ["ro"])));
  else put("/sys", "/sys", (from, to) => bind(from, to, "ro"));
  for (const name of privileged ? allDevices() : DEVICES)
    put(`/dev/${name}`, `/dev/${name}`, (from, to) => bind(from, to));
  for (const name of DEVICE_FOLDERS) {
    if (name === "shm") put(options.shm, "/dev/shm", (from, to) => bind(from, to));
    else put(`/dev/${name}`, `/dev/${name}`, (from, to) => rbind(from, to));
  }
  for (const device of options.devices) {
    checkDevice(device.hostPath, lstatSync(device.hostPath, { throwIfNoEntry: false }));
    const readonly = device.permissions.includes("w") ? [] : ["ro"];
    put(device.hostPath, device.containerPath, (from, to) => bind(from, to, ...readonly));
  }
  return entries;
}

function checkDevice(path: string, stat: Stats | undefined): void {
  if (stat !== undefined) return;
  throw new RuntimeError("invalid-argument", `device ${path} is not there; expected a device file on the node`);
}

function allDevices(): string[] {
  return readdirSync("/dev", { withFileTypes: true })
    .filter((entry) => entry.isCharacterDevice() || entry.isBlockDevice())
    .map(({ name }) => name);
}
