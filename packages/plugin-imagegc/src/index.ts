/** Garbage collection of images and containers as a hooklet plugin, and its pure parts. */
export {
  type ContainerPolicy,
  type ContainerRemoval,
  containersToRemove,
  kubeletContainerPolicy,
  type PodStates,
  type SeenContainer,
} from "./containers/dead.js";
export {
  containerIdOfLogLink,
  deadLogLinkGoes,
  logDirectoriesToRemove,
  podUidOfLogDirectory,
} from "./containers/logs.js";
export { type SandboxRemoval, type SeenSandbox, sandboxesToRemove } from "./containers/sandboxes.js";
export { orphansOf, reasonsToStay } from "./directories/orphans.js";
export { ImageCollector, type ImagePorts, type RoundReport } from "./image-collector.js";
export { type Detection, detect, type ImageUse, type Look, type SeenImage } from "./images/detect.js";
export { freeOld, freeSpace, type Outcome, type Removal, type RemovalReason } from "./images/free.js";
export { candidatesOf, type Kept } from "./images/keep.js";
export { type ImagePolicy, imageLoopRuns, kubeletPolicy, policyFault } from "./images/policy.js";
export { type ImageRecord, type ImageRecords, imageKey, imageName } from "./images/record.js";
export {
  type Answer,
  imageRound,
  type Request,
  type Round,
  type RoundInput,
  type RoundResult,
  rehearse,
  unusedRound,
} from "./images/round.js";
export { bytesToFree, type DiskUsage, formatSize, usagePercent } from "./images/usage.js";
export { type WhyInput, why } from "./images/why.js";
export {
  CONTAINER_GC_PERIOD,
  failureEvent,
  IMAGE_GC_PERIOD,
  IMAGE_LIST_PERIOD,
  type Loop,
  nodeImages,
} from "./loop.js";
export type { ImagegcOptions } from "./options.js";
export { inOrder } from "./order/in-order.js";
export { largestFirst } from "./order/largest-first.js";
export { lru } from "./order/lru.js";
export { lruSizeWeighted } from "./order/lru-size-weighted.js";
export type { OrderInput, OrderStrategy } from "./order/strategy.js";
export { orderStrategies } from "./order/table.js";
export { plugin as default, plugin as imagegc } from "./plugin.js";
