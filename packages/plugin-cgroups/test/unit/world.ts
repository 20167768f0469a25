/** Pods and nodes for the tests of this package. */
import type { Pod } from "@hooklet/core";
import { parseList, type QuantityTexts } from "@hooklet/core/rules";
import type { CgroupOptions } from "../../src/options.js";
import { type MachineRuleFacts, type NodeRules, nodeRules } from "../../src/plan/node-rules.js";
import type { Plan } from "../../src/plan/setting.js";
import { linear } from "../../src/rules/resource-config.js";

export const GIB = 1024 ** 3;
export const MIB = 1024 ** 2;

export interface Amounts {
  readonly requests?: QuantityTexts;
  readonly limits?: QuantityTexts;
}

/** A pod with one container for each entry: `main`, `c1`, ... */
export function aPod(name: string, containers: readonly Amounts[] = [{}], spec: Partial<Pod["spec"]> = {}): Pod {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: {
      containers: containers.map((resources, index) => ({
        name: index === 0 ? "main" : `c${index}`,
        image: "app:1",
        resources: { ...resources },
      })),
      ...spec,
    },
  } as Pod;
}

export function both(amounts: QuantityTexts): Amounts {
  return { requests: amounts, limits: amounts };
}

export const defaults: CgroupOptions = {
  cgroupRoot: "",
  cgroupsPerQOS: true,
  enforceNodeAllocatable: ["pods"],
  systemReservedCgroup: "",
  kubeReservedCgroup: "",
  podPidsLimit: -1,
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: 0.1,
  memorySwap: { swapBehavior: "" },
  memoryThrottlingFactor: null,
  memoryReservationPolicy: "None",
  qosReserved: {},
  singleProcessOOMKill: null,
  burst: false,
  memoryHighPressure: null,
  cpuManagerPolicy: "none",
  cpuManagerPolicyOptions: {},
  cpuManagerReconcilePeriod: 10,
};

export function aNode(options: Partial<CgroupOptions> = {}, machine: Partial<MachineRuleFacts> = {}): NodeRules {
  return nodeRules(
    { ...defaults, ...options },
    {
      version: "v1",
      driver: "cgroupfs",
      capacity: parseList({ cpu: "2", memory: "8Gi", pid: "32768" }),
      systemReserved: new Map(),
      kubeReserved: new Map(),
      pageSize: 4096,
      hugePageSizes: [2 * MIB, GIB],
      hugetlb: false,
      swapControllerAvailable: false,
      swapCapacity: 0,
      ...machine,
    },
    { strategy: linear, name: "linear" },
  );
}

/** `path/file: value` of each line of a plan. */
export function lines(plan: Plan): string[] {
  return plan.map(({ path, file, value }) => `${path}/${file}: ${value}`);
}
