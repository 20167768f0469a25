/** Names of cgroups: a list of components, and how the two drivers write it (pkg/kubelet/cm/cgroup_manager_linux.go). Pure. */

import { NodeAgentError, type QosClass } from "@hooklet/core";

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

// The tree of QoS and pod cgroups (pkg/kubelet/cm/qos_container_manager_linux.go, pod_container_manager_linux.go).

/** Roots of the pods by class; Guaranteed pods are siblings of the two others. */
export type QosRoots = Readonly<Record<QosClass, CgroupName>>;

const NODE_ALLOCATABLE = "kubepods";
const POD_PREFIX = "pod";

/** Where all pods are: `kubepods` below `cgroupRoot`, or with `cgroupsPerQOS` off the root itself. */
export function nodeAllocatableRoot(cgroupRoot: string, cgroupsPerQOS: boolean): CgroupName {
  const root = parseCgroupfs(cgroupRoot);
  return cgroupsPerQOS ? cgroupName(root, NODE_ALLOCATABLE) : root;
}

export function qosRoots(kubepods: CgroupName): QosRoots {
  return {
    Guaranteed: kubepods,
    Burstable: cgroupName(kubepods, "burstable"),
    BestEffort: cgroupName(kubepods, "besteffort"),
  };
}

/** The last component of a pod's cgroup. */
export function podCgroupSuffix(uid: string): string {
  return `${POD_PREFIX}${uid}`;
}

/** @throws NodeAgentError when the uid has characters that no cgroup may have */
export function podCgroupName(uid: string, qosClass: QosClass, roots: QosRoots): CgroupName {
  return cgroupName(roots[qosClass], podCgroupSuffix(uid));
}

/**
 * The uid of the pod whose cgroup this is by its name; undefined when it is no pod's. As in the kubelet a uid that itself
 * contains "pod" is not recognised, and only the depth is compared with the roots, not what stands above.
 */
export function podUidOf(name: CgroupName, roots: QosRoots): string | undefined {
  const depths = Object.values(roots).map((root) => root.length + 1);
  const last = name.at(-1);
  if (last === undefined || !depths.includes(name.length) || !last.startsWith(POD_PREFIX)) return undefined;
  const parts = last.split(POD_PREFIX);
  return parts.length === 2 ? parts[1] : undefined;
}
