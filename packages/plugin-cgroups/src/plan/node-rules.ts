/** The node's facts for the rules, made once from options and machine. Pure. */
import type { CgroupVersion, ResourceList } from "@hooklet/core/rules";
import type { CpuAssignments } from "../cpu/requests.js";
import {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  nodeAllocatableRoot,
  parseCgroupfs,
  type QosRoots,
  qosRoots,
} from "../name/name.js";
import type { CgroupOptions } from "../options.js";
import type { ContainerRule } from "../rules/container.js";
import { pageSizeName } from "../rules/huge-pages.js";
import type { MemoryReservationPolicy } from "../rules/memory-qos.js";
import { allocatableForEnforcement, type EnforcementKey } from "../rules/node-allocatable.js";
import type { PodRule } from "../rules/pod.js";
import { parseQosReserved } from "../rules/qos.js";
import { DEFAULT_PERIOD } from "../rules/resource-config.js";
import type { FileRule, WeightsStrategy } from "./setting.js";

/** Facts from the machine and the runtime. */
export interface MachineRuleFacts {
  readonly version: CgroupVersion;
  readonly driver: CgroupDriver;
  /** With `pid`, how many processes the machine may have. */
  readonly capacity: ResourceList;
  readonly systemReserved: ResourceList;
  readonly kubeReserved: ResourceList;
  /** Bytes of one memory page. */
  readonly pageSize: number;
  /** Bytes: all page sizes of the machine. */
  readonly hugePageSizes: readonly number[];
  /** There is a hugetlb controller for pods. */
  readonly hugetlb: boolean;
  readonly swapControllerAvailable: boolean;
  /** The kernel has files for CPU burst. */
  readonly burstAvailable?: boolean;
  /** Bytes. */
  readonly swapCapacity: number;
}

export interface NodeRules {
  readonly version: CgroupVersion;
  /** The same node with the other version. */
  readonly as: (version: CgroupVersion) => NodeRules;
  readonly driver: CgroupDriver;
  /** Below it all pods are. */
  readonly kubepods: CgroupName;
  readonly roots: QosRoots;
  readonly cgroupsPerQOS: boolean;
  readonly files: FileRule;
  readonly pod: PodRule;
  readonly container: ContainerRule;
  readonly enforce: readonly EnforcementKey[];
  readonly machine: MachineRuleFacts;
  /** Capacity less system and kube reserve. */
  readonly allocatable: ResourceList;
  /** Bytes. */
  readonly allocatableMemory: number;
  /** Percent; undefined: `qosReserved` does not name memory. */
  readonly qosReservedMemory: number | undefined;
  /** Undefined: MemoryQoS is off. */
  readonly memoryPolicy: MemoryReservationPolicy | undefined;
  /** Pods may save up unused quota: option `burst`, on a kernel that can. */
  readonly burst: boolean;
  /** Undefined: cpuManagerPolicy none. */
  readonly cpus: CpuAssignments | undefined;
  /** cgroupfs paths by reservation. */
  readonly reservedCgroups: { readonly "system-reserved": string; readonly "kube-reserved": string };
}

const NANO = 1_000_000_000n;

export function nodeRules(
  options: CgroupOptions,
  machine: MachineRuleFacts,
  weights: Weights,
  cpus?: CpuAssignments,
): NodeRules {
  const kubepods = nodeAllocatableRoot(options.cgroupRoot, options.cgroupsPerQOS);
  const { version, driver, capacity } = machine;
  const cpuPeriod = Math.round(options.cpuCFSQuotaPeriod * 1_000_000) || DEFAULT_PERIOD;
  const allocatable = allocatableForEnforcement(capacity, machine);
  const allocatableMemory = bytesOf(allocatable);
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy } = options;
  const memoryQos = version === "v2" && (factor !== null || policy !== "None");
  const memoryPolicy = memoryQos ? policy : undefined;
  return {
    version,
    as: (other) => nodeRules(options, { ...machine, version: other }, weights, cpus),
    driver,
    kubepods,
    roots: qosRoots(kubepods),
    cgroupsPerQOS: options.cgroupsPerQOS,
    files: {
      version,
      weights: weights.strategy,
      weightsName: weights.name,
      hugePageSizes: machine.hugetlb ? machine.hugePageSizes : [],
    },
    pod: {
      enforceCpuLimits: options.cpuCFSQuota,
      cpuPeriod,
      memoryReservationPolicy: memoryPolicy,
      podPidsLimit: options.podPidsLimit,
    },
    container: {
      cgroupVersion: version,
      cpuCFSQuota: options.cpuCFSQuota,
      cpuPeriod,
      singleProcessOOMKill: options.singleProcessOOMKill ?? version === "v1",
      memoryCapacity: bytesOf(capacity),
      pageSizes: machine.hugePageSizes.map(pageSizeName),
      swap: {
        nodeSwap: true,
        swapBehavior: options.memorySwap.swapBehavior,
        swapControllerAvailable: machine.swapControllerAvailable,
        swapCapacity: machine.swapCapacity,
      },
      memoryQos: memoryPolicy && {
        policy: memoryPolicy,
        factor: factor ?? undefined,
        pageSize: machine.pageSize,
        nodeAllocatableMemory: allocatableMemory,
      },
    },
    enforce: options.enforceNodeAllocatable.filter((key) => key !== "none"),
    machine,
    allocatable,
    allocatableMemory,
    qosReservedMemory: parseQosReserved(options.qosReserved).memory,
    memoryPolicy,
    burst: options.burst && machine.burstAvailable === true,
    cpus,
    reservedCgroups: {
      "system-reserved": cgroupPath(parseCgroupfs(options.systemReservedCgroup), driver),
      "kube-reserved": cgroupPath(parseCgroupfs(options.kubeReservedCgroup), driver),
    },
  };
}

export interface Weights {
  readonly strategy: WeightsStrategy;
  readonly name: string;
}

function bytesOf(list: ResourceList): number {
  return Number((list.get("memory")?.nano ?? 0n) / NANO);
}
