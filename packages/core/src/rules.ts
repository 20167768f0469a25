import "./lib/one-core.js";

export {
  addList,
  collectContainerResources,
  collectPodLevelResources,
  computeQosClass,
  isCriticalPod,
  isCriticalPriority,
  isMirrorPod,
  isNodeCriticalPod,
  isPreemptable,
  isStaticPod,
  parseList,
  parseQuantity,
  podRequest,
  podRequestList,
  podSource,
  type QosResources,
  type QuantityTexts,
  qosClass,
  toResources,
} from "@hooklet/manifest";
export { accountOf, type NodeAccount, RunningAccount } from "./admission/account.js";
export { type AdmitOptions, admitPod, rejectedByOs } from "./admission/admit.js";
export {
  type MissingResourceOptions,
  missingExtendedResources,
  removeMissingExtendedResources,
} from "./admission/extended-resources.js";
export { generalPredicates, type PredicateOptions } from "./admission/predicates.js";
export {
  missingAmount,
  outOfResource,
  type PredicateName,
  pluginResourcesFailed,
  predicateFailed,
  recoveryFailed,
  reportedRejection,
} from "./admission/reasons.js";
export { shortfalls } from "./admission/resource-fit.js";
export { canonicalName, type ImageReference, parseReference } from "./images/reference.js";
export { formatDuration } from "./lib/duration.js";
export { toQuantityTexts } from "./node/capacity.js";
export {
  checkReservation,
  nodeReservation,
  parseThreshold,
  type Reservations,
  type Threshold,
  type Thresholds,
} from "./node/reservation.js";
