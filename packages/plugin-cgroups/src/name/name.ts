/** Names of cgroups: a list of components, and how the two drivers write it (pkg/kubelet/cm/cgroup_manager_linux.go). Pure. */
import { NodeAgentError } from "@hooklet/core";

/** Components from the root down; empty = the root. */
export type CgroupName = readonly string[];

export type CgroupDriver = "cgroupfs" | "systemd";

const SLICE = ".slice";

/** `base` with components appended; `base` stays as it is. @throws NodeAgentError on "/" and "_" in a component */
export function cgroupName(base: CgroupName, ...components: readonly string[]): CgroupName {
  for (const component of components) {
    if (/[/_]/.test(component)) {
      throw new NodeAgentError(
        "INVALID",
        `invalid character in component [${JSON.stringify(component)}] of CgroupName`,
      );
    }
  }
  return [...base, ...components];
}

/** The cgroup's path for the runtime and below a hierarchy's mount point. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  return driver === "systemd" ? systemdPath(name) : cgroupfsPath(name);
}

/** The name of a path that `cgroupPath` may have made. */
export function parseCgroupPath(path: string, driver: CgroupDriver): CgroupName {
  return driver === "systemd" ? parseSystemd(path) : parseCgroupfs(path);
}

export function cgroupfsPath(name: CgroupName): string {
  return `/${name.join("/")}`;
}

export function parseCgroupfs(path: string): CgroupName {
  const inner = path.startsWith("/") ? path.slice(1) : path;
  return inner === "" ? [] : inner.split("/");
}

/** `/kubepods.slice/kubepods-burstable.slice/...`: a slice lies in the slices that its name names. */
export function systemdPath(name: CgroupName): string {
  const parts = slicesOf(name);
  return `/${parts.map((_, index) => `${parts.slice(0, index + 1).join("-")}${SLICE}`).join("/")}`;
}

/** The last slice says all. */
export function parseSystemd(path: string): CgroupName {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  const base = last.endsWith(SLICE) ? last.slice(0, -SLICE.length) : last;
  return base === "" ? [] : base.split("-").map((part) => part.replaceAll("_", "-"));
}

/** systemd reads "-" as a step down, so it stands as "_". Empty components are skipped. */
function slicesOf(name: CgroupName): string[] {
  return name.filter((part) => part !== "").map((part) => part.replaceAll("-", "_"));
}
