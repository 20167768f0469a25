import "./one-core.js";

export { podUidOf } from "@hooklet/cri-api";
export {
  type CgroupHierarchy,
  type CgroupLayout,
  type CgroupUsage,
  type CgroupVersion,
  cgroupBelow,
  cgroupFolder,
  containerIdOf,
  hugePages,
  isLimiting,
  type KernelRead,
  type MemoryUsage,
  meminfoBytes,
  numberAfter,
  type Pressure,
  parsePressure,
  processCount,
  processesByContainer,
  processLimit,
  readCgroupLayout,
  readMemoryUsage,
  readUsage,
  type SystemFacts,
  sharesToWeight,
  systemFacts,
} from "@hooklet/linux";
export {
  addList,
  addQuantities,
  amountOf,
  collectContainerResources,
  collectPodLevelResources,
  compareQuantities,
  computeQosClass,
  containerRestartPolicy,
  formatQuantity,
  isCriticalPod,
  isCriticalPriority,
  isExtendedResource,
  isHugePages,
  isMirrorPod,
  isNodeCriticalPod,
  isPreemptable,
  isStaticPod,
  milliValue,
  parseList,
  parseQuantity,
  podLevelResources,
  podLimitList,
  podLimits,
  podRequest,
  podRequestList,
  podRequests,
  type QosResources,
  type Quantity,
  type QuantityTexts,
  qosClass,
  quantityOf,
  quantityOfMilli,
  quantityValue,
  type ResourceList,
  shouldRestart,
  toResources,
} from "@hooklet/manifest";
export { formatCpuList, parseCpuList } from "@hooklet/utils";
export { accountOf, type NodeAccount, RunningAccount } from "./admission/account.js";
export {
  type AdmitOptions,
  admitPod,
  generalPredicates,
  type PredicateOptions,
  rejectedByOs,
  removeMissingExtendedResources,
  wantsFreshNode,
} from "./admission/admit.js";
export {
  missingAmount,
  outOfResource,
  type PredicateName,
  predicateFailed,
  recoveryFailed,
  reportedRejection,
} from "./admission/reasons.js";
export { matchesNodeAffinity, tolerates } from "./admission/scheduling.js";
export {
  effectiveEvictionHard,
  parsePercentage,
  parseThreshold,
  type Threshold,
  thresholdQuantity,
} from "./config/threshold.js";
export { loginsFor, loginsIn, type RegistryLogin } from "./images/docker-config.js";
export { canonicalName, type ImageReference, parseReference } from "./images/reference.js";
export { toQuantityTexts } from "./node/capacity.js";
export {
  checkReservation,
  nodeReservation,
  type Reservations,
  type Thresholds,
} from "./node/reservation.js";
export { killTimeoutSeconds } from "./pod/grace.js";
export { goChecksum } from "./pod/spec/container-config.js";
export { metadataValue, resourceValue } from "./pod/spec/downward.js";
export { expand } from "./pod/spec/env.js";
export { podLogDirectory } from "./pod/spec/sandbox-config.js";
export { podConditions } from "./pod/status/conditions.js";
export { containerReady, type ReadyFacts, withResourceStatus } from "./pod/status/container-status.js";
