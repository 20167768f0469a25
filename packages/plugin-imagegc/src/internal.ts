/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export {
  type ContainerPolicy,
  type ContainerRemoval,
  containerIdOfLogLink,
  containersToRemove,
  deadLogLinkGoes,
  kubeletContainerPolicy,
  logDirectoriesToRemove,
  type PodStates,
  podUidOfLogDirectory,
  type SandboxRemoval,
  type SeenContainer,
  type SeenSandbox,
  sandboxesToRemove,
} from "./dead-containers.js";
export { type WhyInput, why } from "./gc-decisions.js";
export { ImageCollector, type ImagePorts, type RoundReport } from "./image-collector.js";
export { inOrder, largestFirst, lru, lruSizeWeighted, orderStrategies } from "./image-order.js";
export {
  bytesToFree,
  type DiskUsage,
  formatSize,
  type ImagePolicy,
  imageLoopRuns,
  kubeletPolicy,
  policyFault,
  usagePercent,
} from "./images/image-policy.js";
export {
  type Detection,
  detect,
  type ImageRecords,
  type ImageUse,
  imageKey,
  imageName,
  type Look,
  type SeenImage,
} from "./images/image-records.js";
export { candidatesOf, type Kept } from "./images/keep.js";
export {
  type Answer,
  freeOld,
  freeSpace,
  imageRound,
  type Outcome,
  type Removal,
  type RemovalReason,
  type Request,
  type Round,
  type RoundInput,
  type RoundResult,
  rehearse,
  unusedRound,
} from "./images/round.js";
export { orphansOf, reasonsToStay } from "./orphaned-pod-directories.js";
export { CONTAINER_GC_PERIOD, failureEvent, IMAGE_GC_PERIOD, type Loop } from "./rounds.js";
