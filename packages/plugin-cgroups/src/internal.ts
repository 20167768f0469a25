/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { applyPlan } from "./apply/apply.js";
export type { Refused, Report } from "./apply/cgroup.js";
export { ensureCgroup, removePodCgroup } from "./apply/cgroup.js";
export { decodeCpuState, encodeCpuState } from "./cpu/checkpoint.js";
export { CpuState } from "./cpu/cpu-state.js";
export { StaticPolicy, type StaticPolicyInit } from "./cpu/policy.js";
export { cpuHints, exclusiveCpus, podExclusiveCpus } from "./cpu/requests.js";
export { type Taken, takeByTopology } from "./cpu/take.js";
export { type CpuPlace, CpuTopology } from "./cpu/topology.js";
export { stateFault } from "./cpu/validate.js";
export { type CgroupFiles, hostFiles, readPids } from "./host/cgroup-files.js";
export { CgroupManager } from "./manager/cgroup-manager.js";
export { MovedProcesses } from "./manager/moved-processes.js";
export type { Reports } from "./manager/reports.js";
export {
  type CgroupDriver,
  type CgroupName,
  cgroupfsPath,
  cgroupName,
  cgroupPath,
  nodeAllocatableRoot,
  parseCgroupfs,
  parseCgroupPath,
  parseSystemd,
  podCgroupName,
  podCgroupSuffix,
  podUidOf,
  type QosRoots,
  qosRoots,
  systemdPath,
} from "./name/name.js";
export { ownRoot } from "./opening/root.js";
export { nodePlan } from "./plan/node-plan.js";
export { type MachineRuleFacts, type NodeRules, nodeRules } from "./plan/node-rules.js";
export { containerPlan, podPath, podPlan } from "./plan/pod-plan.js";
export type { CgroupSetting, Plan } from "./plan/setting.js";
export { highRange, nextHigh } from "./pressure/rule.js";
export { resizeOrder, resizeRefusal } from "./resize/resize-rules.js";
export {
  BURST_ANNOTATION,
  burstPercent,
  type ContainerMemoryRule,
  type ContainerRule,
  type CpuAndMemory,
  type CpuAndMemoryInput,
  type CpuAndMemoryRule,
  containerAmounts,
  containerMemoryQos,
  containerSwap,
  cpuAndMemory,
  cpuBurst,
  linuxContainerResources,
  type SwapRule,
  swapShare,
} from "./rules/container.js";
export { containerHugePageLimits, hugePageLimits, pageSizeName, UNBOUNDED_HUGE_PAGES } from "./rules/huge-pages.js";
export { type MemoryReservationPolicy, memoryHigh, protectedMemory, throttlingPoint } from "./rules/memory-qos.js";
export { allocatableForEnforcement, enforcementKeys, nodeCgroupConfig } from "./rules/node-allocatable.js";
export { oomScoreAdjust } from "./rules/oom-score.js";
export { type PodAmounts, type PodRule, podAmounts, podResourceConfig } from "./rules/pod.js";
export {
  parseQosReserved,
  type QosSums,
  qosCpuShares,
  qosMemoryLimits,
  qosProtectedMemory,
  qosSums,
} from "./rules/qos.js";
export type { HugePageLimits, ResourceConfig, RuleOptions } from "./rules/resource-config.js";
export {
  DEFAULT_PERIOD,
  linear,
  MAX_SHARES,
  MIN_SHARES,
  milliCpuToQuota,
  milliCpuToShares,
  quadratic,
} from "./rules/resource-config.js";
