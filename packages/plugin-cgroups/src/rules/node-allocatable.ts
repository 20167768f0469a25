/** Settings of the cgroup of all pods, and of those of the system (pkg/kubelet/cm/node_container_manager_linux.go). Pure. */
import { amountOf, type ResourceList } from "@hooklet/core/rules";
import { hugePageLimits } from "./huge-pages.js";
import { milliCpuToShares, type ResourceConfig } from "./resource-config.js";

/** How many processes a machine may have is accounted under this name. */
const PIDS = "pid";

/**
 * What pods may use together: capacity less both reservations, never below zero. The eviction threshold is not taken off
 * here: pods must be able to reach it.
 */
export function allocatableForEnforcement(
  capacity: ResourceList,
  reserved: { readonly systemReserved: ResourceList; readonly kubeReserved: ResourceList },
): ResourceList {
  const list: ResourceList = new Map();
  for (const [resource, quantity] of capacity) {
    const taken = [reserved.systemReserved, reserved.kubeReserved].map((one) => one.get(resource)?.nano ?? 0n);
    const nano = taken.reduce((rest, amount) => rest - amount, quantity.nano);
    list.set(resource, { nano: nano < 0n ? 0n : nano, format: quantity.format });
  }
  return list;
}

/**
 * Memory, shares, pids and huge pages of a list; never a quota. Undefined for no list.
 * @param compressibleOnly cpu alone
 */
export function nodeCgroupConfig(list: ResourceList | undefined, compressibleOnly = false): ResourceConfig | undefined {
  if (list === undefined) return undefined;
  const amounts = Object.fromEntries([...list].map(([resource, quantity]) => [resource, amountOf(resource, quantity)]));
  const { cpu, memory, [PIDS]: pids } = amounts;
  const shares = cpu === undefined ? {} : { cpuShares: milliCpuToShares(cpu) };
  if (compressibleOnly) return shares;
  return {
    ...shares,
    ...(memory !== undefined && { memory }),
    ...(pids !== undefined && { pidsLimit: pids }),
    hugePageLimit: hugePageLimits(amounts),
  };
}

/** Keys of `enforceNodeAllocatable`, in the order in which the kubelet carries them out. */
export const enforcementKeys = [
  "pods",
  "system-reserved",
  "kube-reserved",
  "system-reserved-compressible",
  "kube-reserved-compressible",
] as const;

export type EnforcementKey = (typeof enforcementKeys)[number];
