/** The public surface of @hooklet/core: contracts first, then what plugins and runtimes may use. */
export { accountOf, type NodeAccount, RunningAccount } from "./admission/account.js";
export { type AdmitOptions, admitPod, rejectedByOs } from "./admission/admit.js";
export {
  type MissingResourceOptions,
  missingExtendedResources,
  removeMissingExtendedResources,
} from "./admission/extended-resources.js";
export type { NodeFacts, NodeTaint } from "./admission/node-facts.js";
export { generalPredicates, type PredicateOptions } from "./admission/predicates.js";
export {
  missingAmount,
  noNodeInfo,
  outOfResource,
  pluginResourcesFailed,
  predicateFailed,
  recoveryFailed,
  reportedRejection,
  unknownReason,
} from "./admission/reasons.js";
export { shortfalls } from "./admission/resource-fit.js";
export {
  AdmissionVerdict,
  type PodContributions,
  type Rejection,
  type ResourceShortfall,
  type Undo,
} from "./admission/verdict.js";
export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { errorText, NodeAgentError, type NodeAgentErrorCode } from "./errors.js";
export { type MachineFacts, machineCapacity, type NodeAmounts, nodeAmounts, toQuantityTexts } from "./node/capacity.js";
export {
  checkReservation,
  nodeReservation,
  parseReservations,
  parseThreshold,
  type Reservations,
  type Threshold,
  type Thresholds,
} from "./node/reservation.js";
export {
  isCriticalPod,
  isCriticalPriority,
  isMirrorPod,
  isNodeCriticalPod,
  isPreemptable,
  isStaticPod,
  podSource,
  SYSTEM_CRITICAL_PRIORITY,
} from "./pod/critical.js";
export {
  type Container,
  type ContainerRef,
  isSidecar,
  type Pod,
  podText,
  type QosClass,
} from "./pod/types.js";
export {
  addList,
  amountOf,
  maxList,
  parseList,
  type QuantityTexts,
  type ResourceList,
  toResources,
} from "./resources/list.js";
export { isExtendedResource, isHugePages, isPodLevelResource, isScalarResource } from "./resources/names.js";
export {
  type PodResourceOptions,
  podLevelResources,
  podLimits,
  podRequest,
  podRequestList,
  podRequests,
} from "./resources/pod-requests.js";
export {
  collectContainerResources,
  collectPodLevelResources,
  computeQosClass,
  type QosResources,
  qosClass,
} from "./resources/qos.js";
export {
  addQuantities,
  compare as compareQuantities,
  formatQuantity,
  milliValue,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityOf,
  quantityOfMilli,
  value as quantityValue,
} from "./resources/quantity.js";
export { isRuntimeError, RuntimeError, type RuntimeErrorCode } from "./runtime/errors.js";
export { defineRuntime, type RuntimeContext, type RuntimeFactory } from "./runtime/factory.js";
export {
  Annotations,
  type Container as RuntimeContainer,
  type ContainerConfig,
  type ContainerSecurityContext,
  type ContainerState,
  type ContainerStats,
  type ContainerStatus,
  type Device,
  type ExecResult,
  type Image,
  type ImageFsInfo,
  type InteractiveExec,
  type IsolationFact,
  Labels,
  type LinuxContainerResources,
  type Mount,
  type NamespaceMode,
  type PortMapping,
  type Runtime,
  type RuntimeEvent,
  type RuntimeInfo,
  type Sandbox,
  type SandboxConfig,
  type SandboxMetadata,
  type SandboxStatus,
  type SecurityProfile,
  type StringMap,
} from "./runtime/port.js";
export { decodeChecked, encodeChecked, removeLeftover, writeFileAtomic } from "./state/atomic-file.js";
export { type CheckpointOptions, openCheckpoint } from "./state/checkpoint.js";
export { lockRootDir, type RootDirLock } from "./state/lock.js";
