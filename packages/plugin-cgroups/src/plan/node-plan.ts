/** The plan of the node: the cgroup of all pods, the QoS cgroups, and those of the system. Pure. */
import type { ResourceList } from "@hooklet/core/rules";
import { cgroupPath } from "../name/name.js";
import { UNBOUNDED_HUGE_PAGES } from "../rules/huge-pages.js";
import { nodeCgroupConfig } from "../rules/node-allocatable.js";
import { type QosSums, qosCpuShares, qosMemoryLimits, qosProtectedMemory } from "../rules/qos.js";
import { type HugePageLimits, MIN_SHARES, type ResourceConfig } from "../rules/resource-config.js";
import type { NodeRules } from "./node-rules.js";
import { bytes, milli, type Plan, settingsOf, type Whys } from "./setting.js";

/** `kubepods` with what node allocatable leaves, `burstable` and `besteffort` with what their pods ask for. */
export function nodePlan(rules: NodeRules, sums: QosSums): Plan {
  return rules.cgroupsPerQOS ? [...kubepodsPlan(rules, sums), ...qosPlan(rules, sums)] : [];
}

function kubepodsPlan(rules: NodeRules, sums: QosSums): Plan {
  const enforced = rules.enforce.includes("pods");
  const list = enforced ? rules.allocatable : rules.machine.capacity;
  const protection = protectionOf(rules, sums)?.kubepods;
  const config: ResourceConfig = {
    ...nodeCgroupConfig(list),
    hugePageLimit: unbounded(rules),
    ...(protection && { unified: protection }),
  };
  const whole = enforced
    ? "node allocatable: capacity - systemReserved - kubeReserved"
    : "capacity (pods are not enforced)";
  const whys: Whys = {
    cpuShares: `${whole}; 1024 a core`,
    memory: whole,
    pidsLimit: `${whole}; min(pid_max, threads-max)`,
    hugePageLimit: UNBOUNDED_WHY,
    unified: `memory requests of all Guaranteed (${bytes(sums.guaranteedMemory)}) and Burstable pods (${bytes(sums.burstableMemory)})`,
  };
  return settingsOf(pathOf(rules, "Guaranteed"), config, whys, rules.files);
}

const UNBOUNDED_WHY = "huge pages are limited per pod: 2^62 here";

/** The two QoS cgroups alone: what changes with every pod that comes and goes. */
export function qosPlan(rules: NodeRules, sums: QosSums): Plan {
  const shares = qosCpuShares(sums);
  const memory = memoryLimits(rules, sums);
  const protection = protectionOf(rules, sums)?.burstable;
  const burstable: ResourceConfig = {
    cpuShares: shares.burstable,
    ...(memory && { memory: memory.burstable }),
    hugePageLimit: unbounded(rules),
    ...(protection && { unified: protection }),
  };
  const bestEffort: ResourceConfig = {
    cpuShares: shares.bestEffort,
    ...(memory && { memory: memory.bestEffort }),
    hugePageLimit: unbounded(rules),
  };
  const percent = `${rules.qosReservedMemory ?? 0}%`;
  const guaranteed = bytes(sums.guaranteedMemory);
  return [
    ...settingsOf(
      pathOf(rules, "Burstable"),
      burstable,
      {
        cpuShares: `cpu requests of all Burstable pods, ${milli(sums.burstableMilliCpu)}; 1024 a core`,
        memory: `allocatable ${bytes(rules.allocatableMemory)} - ${percent} of Guaranteed requests ${guaranteed} (qosReserved)`,
        hugePageLimit: UNBOUNDED_WHY,
        unified: `memory requests of all Burstable pods, ${bytes(sums.burstableMemory)}`,
      },
      rules.files,
    ),
    ...settingsOf(
      pathOf(rules, "BestEffort"),
      bestEffort,
      {
        cpuShares: `BestEffort: the least there is, ${MIN_SHARES}`,
        memory: `limit of burstable - ${percent} of Burstable requests ${bytes(sums.burstableMemory)} (qosReserved)`,
        hugePageLimit: UNBOUNDED_WHY,
      },
      rules.files,
    ),
  ];
}

/** Reservations that the system itself is held to. Its cgroups must be there already. */
export function reservedPlan(rules: NodeRules, key: ReservedKey): Plan {
  const [name, list] = reservedOf(rules, key);
  const compressibleOnly = key.endsWith("-compressible");
  const config = nodeCgroupConfig(list, compressibleOnly) ?? {};
  const whys: Whys = {
    cpuShares: `${name}; 1024 a core`,
    memory: name,
    pidsLimit: name,
    hugePageLimit: name,
    unified: name,
  };
  const protect = rules.memoryPolicy !== undefined && !compressibleOnly && config.memory !== undefined;
  const unified = protect ? { unified: { "memory.min": String(config.memory) } } : {};
  return settingsOf(reservedPath(rules, key), { ...config, ...unified }, whys, rules.files);
}

export type ReservedKey = Exclude<NodeRules["enforce"][number], "pods">;

export function reservedPath(rules: NodeRules, key: ReservedKey): string {
  return rules.reservedCgroups[key.startsWith("system") ? "system-reserved" : "kube-reserved"];
}

function reservedOf({ machine }: NodeRules, key: ReservedKey): readonly [string, ResourceList] {
  return key.startsWith("system") ? ["systemReserved", machine.systemReserved] : ["kubeReserved", machine.kubeReserved];
}

function memoryLimits(rules: NodeRules, sums: QosSums) {
  const { qosReservedMemory: percent, allocatableMemory } = rules;
  return percent === undefined ? undefined : qosMemoryLimits({ ...sums, allocatableMemory, percent });
}

function protectionOf({ memoryPolicy }: NodeRules, sums: QosSums) {
  return memoryPolicy && qosProtectedMemory(sums, memoryPolicy);
}

function unbounded({ files }: NodeRules): HugePageLimits {
  return new Map(files.hugePageSizes.map((size) => [size, UNBOUNDED_HUGE_PAGES]));
}

function pathOf({ roots, driver }: NodeRules, qosClass: keyof NodeRules["roots"]): string {
  return cgroupPath(roots[qosClass], driver);
}
