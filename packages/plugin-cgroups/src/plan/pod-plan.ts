/** The plan of one pod: its cgroup, and the resources of its containers for the runtime. Pure. */
import type { Container, Pod } from "@hooklet/core";
import { qosClass } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { cgroupPath, podCgroupName } from "../name/name.js";
import { BURST_ANNOTATION, containerAmounts, cpuBurst, linuxContainerResources } from "../rules/container.js";
import { pageSizeName } from "../rules/huge-pages.js";
import { podAmounts, podResourceConfig } from "../rules/pod.js";
import { MIN_SHARES } from "../rules/resource-config.js";
import type { NodeRules } from "./node-rules.js";
import { bytes, type CgroupSetting, milli, type Plan, settingsOf, type Whys } from "./setting.js";

/** A file of each process, of no cgroup. */
export const OOM_SCORE_FILE = "oom_score_adj";

/** @throws NodeAgentError when the pod's uid has characters that no cgroup may have */
export function podPath(pod: Pod, rules: NodeRules): string {
  return cgroupPath(podCgroupName(pod.metadata.uid, qosClass(pod), rules.roots), rules.driver);
}

/** The files of the pod's own cgroup. */
export function podPlan(pod: Pod, rules: NodeRules): Plan {
  const amounts = podAmounts(pod, rules.pod);
  const { requests, limits } = amounts;
  const ownCpus = rules.cpus?.hasExclusive(pod.metadata.uid) === true;
  const enforceCpuLimits = rules.pod.enforceCpuLimits && !ownCpus;
  const period = rules.pod.cpuPeriod;
  const bestEffort = amounts.qosClass === "BestEffort";
  const whys: Whys = {
    cpuShares: bestEffort
      ? `BestEffort: the least there is, ${MIN_SHARES}`
      : `cpu request of the pod, ${milli(requests.cpu ?? 0)}; 1024 a core`,
    cpuPeriod: "cpuCFSQuotaPeriod",
    cpuQuota: enforceCpuLimits
      ? `cpu limit of the pod, ${milli(limits.cpu ?? 0)} x ${period} us`
      : ownCpus
        ? "none: the pod has CPUs of its own"
        : "cpuCFSQuota is off",
    cpuBurst: burstWhy(pod),
    memory: `memory limit of the pod, ${bytes(limits.memory ?? 0)}`,
    pidsLimit: "podPidsLimit",
    hugePageLimit: "huge page requests of the pod",
    unified: `memory request of the pod, ${bytes(requests.memory ?? 0)}; ${rules.memoryPolicy ?? ""}`,
  };
  const config = podResourceConfig(pod, { ...rules.pod, enforceCpuLimits });
  return settingsOf(podPath(pod, rules), { ...config, ...burstOf(pod, config.cpuQuota, rules) }, whys, rules.files);
}

/** What the agent itself writes to a container's cgroup, since CRI has no field for it. */
export function containerBurstPlan(path: string, pod: Pod, quota: number | undefined, rules: NodeRules): Plan {
  return settingsOf(path, burstOf(pod, quota, rules), { cpuBurst: burstWhy(pod) }, rules.files);
}

function burstOf(pod: Pod, quota: number | undefined, { burst }: NodeRules): { readonly cpuBurst?: number } {
  const amount = burst ? cpuBurst(pod, quota) : undefined;
  return amount === undefined ? {} : { cpuBurst: amount };
}

function burstWhy(pod: Pod): string {
  return `${pod.metadata.annotations?.[BURST_ANNOTATION] ?? "0%"} of the quota (annotation ${BURST_ANNOTATION})`;
}

export interface ContainerPlanned {
  readonly resources: LinuxContainerResources;
  /** The same as files, below the pod's cgroup under the container's name; the runtime itself uses the container's id. */
  readonly plan: Plan;
}

export function containerPlan(pod: Pod, container: Container, rules: NodeRules): ContainerPlanned {
  const { uid } = pod.metadata;
  const disableCpuQuota = rules.cpus?.hasExclusive(uid, container.name) === true;
  const cpusetCpus = rules.cpus?.cpusOf(uid, container.name) ?? "";
  const resources = {
    ...linuxContainerResources(pod, container, { ...rules.container, disableCpuQuota }),
    ...(cpusetCpus !== "" && { cpusetCpus }),
  };
  const { cpuShares = 0, cpuQuota = 0, cpuPeriod = 0, memoryLimitInBytes: memory = 0 } = resources;
  const { hugepageLimits = [], unified, oomScoreAdj = 0, memorySwapLimitInBytes: swap } = resources;
  const { cpuRequest, cpuLimit, memoryLimit } = containerAmounts(pod, container, rules.container);
  const path = `${podPath(pod, rules)}/${container.name}`;
  const asked = hugepageLimits.filter(({ limit }) => limit > 0);
  const sizes = new Map(rules.machine.hugePageSizes.map((size) => [pageSizeName(size), size]));
  const settings = settingsOf(
    path,
    {
      cpuShares,
      ...(cpuPeriod > 0 && { cpuPeriod, cpuQuota }),
      memory,
      ...(asked.length > 0 && {
        hugePageLimit: new Map(asked.map(({ pageSize, limit }) => [sizes.get(pageSize) ?? 0, limit])),
      }),
      ...(unified && { unified }),
    },
    {
      cpuShares:
        cpuRequest === undefined
          ? `no cpu request: its limit, ${milli(cpuLimit)}; 1024 a core`
          : `cpu request ${milli(cpuRequest)}; 1024 a core`,
      cpuPeriod: "cpuCFSQuotaPeriod",
      cpuQuota: disableCpuQuota
        ? "none: the container has CPUs of its own"
        : `cpu limit ${milli(cpuLimit)} x ${cpuPeriod} us`,
      memory: `memory limit ${bytes(memoryLimit)}`,
      hugePageLimit: "huge page limits",
      unified: "MemoryQoS, swap and singleProcessOOMKill",
    },
    rules.files,
  );
  const swapLine: CgroupSetting[] =
    swap === undefined || swap === 0
      ? []
      : [{ path, file: "memory.memsw.limit_in_bytes", value: String(swap), why: "memory limit: no swap" }];
  const score: CgroupSetting = {
    path,
    file: OOM_SCORE_FILE,
    value: String(oomScoreAdj),
    why: oomWhy(pod, container, rules),
  };
  const burst = containerBurstPlan(path, pod, cpuPeriod > 0 ? cpuQuota : undefined, rules);
  return {
    resources,
    plan: [...settings, ...burst, ...swapLine, ...cpusetLine(path, cpusetCpus, disableCpuQuota), score],
  };
}

function cpusetLine(path: string, cpus: string, exclusive: boolean): Plan {
  const why = exclusive ? "CPUs of its own (cpuManagerPolicy static)" : "the CPUs that belong to no container alone";
  return cpus === "" ? [] : [{ path, file: "cpuset.cpus", value: cpus, why }];
}

function oomWhy(pod: Pod, container: Container, { container: { memoryCapacity } }: NodeRules): string {
  const quality = qosClass(pod);
  if (quality !== "Burstable") return quality;
  const text = container.resources?.requests?.memory ?? "0";
  return `Burstable: 1000 - 1000 x request ${text} / machine ${bytes(memoryCapacity)}, 3 to 999`;
}
