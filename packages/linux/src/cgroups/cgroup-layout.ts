/** Which cgroup hierarchies a machine has, where a cgroup lies in them, and a weight of v2 for shares of v1. Pure. */

import { type MountedFs, parseMountinfo } from "../files/mountinfo.js";

export type CgroupVersion = "v1" | "v2";

export interface CgroupHierarchy {
  readonly version: CgroupVersion;
  /** v1: those that are mounted here, `name=systemd` included. v2: empty, the files of each cgroup tell. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
}

export interface CgroupLayout {
  /** v1 as soon as cpu, memory or pids have a v1 hierarchy, also when a v2 one exists too (hybrid). */
  readonly version: CgroupVersion;
  readonly hybrid: boolean;
  readonly hierarchies: readonly CgroupHierarchy[];
}

/** What pods are limited by; without all three on v1 the machine counts as v2. */
const LIMITING = ["cpu", "memory", "pids"];

/** The layout of a machine by its /proc/self/mountinfo; undefined when no cgroups are mounted at all. */
export function readCgroupLayout(mountinfo: string): CgroupLayout | undefined {
  const mounts = parseMountinfo(mountinfo).flatMap(hierarchyOf);
  const v1 = shortestPerController(mounts.filter(({ version }) => version === "v1"));
  const v2 = mounts.filter(({ version }) => version === "v2").slice(0, 1);
  const isV1 = v1.some(limits);
  const hierarchies = isV1 ? [...v1, ...v2] : v2;
  if (hierarchies.length === 0) return undefined;
  return { version: isV1 ? "v1" : "v2", hybrid: isV1 && v2.length > 0, hierarchies };
}

/** Whether cpu, memory or processes are limited there. */
export function isLimiting(layout: CgroupLayout, hierarchy: CgroupHierarchy): boolean {
  return layout.version === "v2" || (hierarchy.version === "v1" && limits(hierarchy));
}

/** The folder of a cgroup where `controller` is; undefined when the machine does not have that controller. @param path `/`: the root */
export function cgroupFolder(layout: CgroupLayout, controller: string, path: string): string | undefined {
  const hierarchy =
    layout.version === "v2"
      ? layout.hierarchies[0]
      : layout.hierarchies.find(({ version, controllers }) => version === "v1" && controllers.includes(controller));
  return hierarchy && cgroupBelow(hierarchy, path);
}

/** The folder of a cgroup in one hierarchy. Never climbs: names of cgroups have been checked. */
export function cgroupBelow({ mountPoint }: CgroupHierarchy, path: string): string {
  return path === "/" ? mountPoint : `${mountPoint}${path}`;
}

function limits({ controllers }: CgroupHierarchy): boolean {
  return controllers.some((name) => LIMITING.includes(name));
}

function hierarchyOf({ mountPoint, type, superOptions }: MountedFs): CgroupHierarchy[] {
  if (type === "cgroup2") return [{ version: "v2", controllers: [], mountPoint }];
  const controllers = type === "cgroup" ? superOptions.filter((word) => !NOT_CONTROLLERS.test(word)) : [];
  return controllers.length === 0 ? [] : [{ version: "v1", controllers, mountPoint }];
}

const NOT_CONTROLLERS =
  /^(rw|ro|xattr|noprefix|clone_children|release_agent=.*|cpuset_v2_mode|favordynmods|nofavordynmods)?$/;

/** Of several mounts of one controller the shortest path counts. */
function shortestPerController(mounts: readonly CgroupHierarchy[]): CgroupHierarchy[] {
  const sorted = [...mounts].sort((a, b) => a.mountPoint.length - b.mountPoint.length);
  const taken = new Set<string>();
  return sorted.filter(({ controllers }) => {
    if (controllers.some((name) => taken.has(name))) return false;
    for (const name of controllers) taken.add(name);
    return true;
  });
}

// cpu.shares of cgroup v1 as cpu.weight of v2.

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const MAX_WEIGHT = 10_000;

/**
 * The rule of the kubelet's own cgroups, and of runc's up to 1.3.1: 2 to 262144 becomes 1 to 10000, linearly. 0 stays 0
 * (not set). 1024 shares, one core, are 39 of the default 100.
 */
export function sharesToWeight(shares: number): number {
  if (shares === 0) return 0;
  if (shares >= MAX_SHARES) return MAX_WEIGHT;
  return 1 + Math.floor((Math.max(shares - MIN_SHARES, 0) * (MAX_WEIGHT - 1)) / (MAX_SHARES - MIN_SHARES));
}
