export type { ApiObject } from "./api-object.js";
export { defaultPod, defaultProbe } from "./defaults.js";
export { faultsText, isManifestError, ManifestError, type ManifestFault } from "./error.js";
export { boundedText, didYouMean, errorText, nearest } from "./error-text.js";
export { MAX_WORD_BYTES, tooLongToExec } from "./exec-size.js";
export { type ApiOrigin, apiPod, type StaticOrigin, staticPod, timestamp } from "./identity.js";
export { isRecord, kindOfValue } from "./is-record.js";
export { type Identify, readManifest, readManifestObject, readObjects } from "./manifest.js";
export { isName, NamePatterns, wrongName } from "./names.js";
export { MAX_MANIFEST_BYTES, type ManifestKind, parseManifest } from "./parse.js";
export {
  allContainers,
  ConfigAnnotations,
  type Container,
  type ContainerRef,
  ephemeralContainers,
  hasEnded,
  initContainers,
  isCriticalPod,
  isCriticalPriority,
  isMirrorPod,
  isNodeCriticalPod,
  isPreemptable,
  isSidecar,
  isStaticPod,
  mainContainers,
  namespacedName,
  type Pod,
  podText,
  type QosClass,
  type RestartPolicy,
  restartPolicy,
  runnableContainers,
} from "./pod.js";
export {
  nothingProvided,
  type Provided,
  type ProvidedKind,
  providedKinds,
  providedLocally,
  providedValues,
  providedVolumes,
} from "./provided.js";
export {
  addList,
  amountOf,
  isExtendedResource,
  isHugePages,
  isLabelValue,
  isQualifiedName,
  isScalarResource,
  parseList,
  type QuantityTexts,
  type ResourceList,
  type Resources,
  toResources,
} from "./resources/list.js";
export {
  type PodResourceOptions,
  podLevelResources,
  podLimitList,
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
  zeroQuantity,
} from "./resources/quantity.js";
export {
  type ContainerRestartRule,
  containerRestartPolicy,
  matchingRestartRule,
  mayRestartAllContainers,
  restartPolicyRules,
  shouldRestart,
} from "./restart.js";
export { probeFaults } from "./rules/handlers.js";
export { keepUnchanged, runsTheSame, saysTheSame } from "./same-pod.js";
export { wrongValue } from "./wrong-value.js";
export { composedDocuments, offsetFinder, type TextFault } from "./yaml-document.js";
