/** The tree of QoS and pod cgroups (pkg/kubelet/cm/qos_container_manager_linux.go, pod_container_manager_linux.go). Pure. */
import type { QosClass } from "@hooklet/core";
import { type CgroupName, cgroupName, parseCgroupfs } from "./name.js";

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
