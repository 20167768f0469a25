/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { candidateOf, candidatesFor, type DiskUsage, diskUsage } from "./candidates.js";
export { EvictionManager, type RoundPorts } from "./eviction-manager.js";
export { type DiskLayout, layoutOf, type ReclaimFunction, reclaimFunctions, type StorageKind } from "./layout.js";
export { EvictionLoop, MONITORING_INTERVAL_SECONDS } from "./loop.js";
export { unwatched, type WatchState, watchMemory } from "./memory-watch.js";
export {
  availableText,
  type ConditionChange,
  type ConditionStatus,
  conditionChange,
  type EvictionMessage,
  evictionMessage,
  pressureConditions,
} from "./messages.js";
export {
  type ContainerStatistics,
  type FileSystemStatistics,
  type MemoryStatistics,
  type NodeStatistics,
  type Observation,
  type Observations,
  observationsOf,
  type PodStatistics,
  podsCgroup,
  type Statistics,
  type StatisticsByUid,
  statisticsByUid,
  type VolumeStatistics,
} from "./observations.js";
export { type ManagerSettings, thresholdsOf } from "./options.js";
export { parseGoDuration, parseThresholdConfig, type SignalTexts, type ThresholdSettings } from "./parse-thresholds.js";
export { waitForCleanup } from "./pending.js";
export { rejectedByPressure } from "./plugin.js";
export { kubelet, largestUsage, lowestPriorityFirst, rank, rankingStrategies } from "./ranking.js";
export {
  type Action,
  actionFor,
  chooseVictim,
  type EvictionOrder,
  type EvictionState,
  effectiveGracePeriod,
  gracePeriodOverride,
  initialState,
  isRelieved,
  type Look,
  type LookInput,
  look,
  type ObservedAt,
  observedAt,
  orderFor,
  reportedConditions,
  type VictimChoice,
  type VictimInput,
  withLayout,
} from "./round.js";
export {
  conditionsOf,
  isSignal,
  type PressureCondition,
  resourceOf,
  type Signal,
  type StarvedResource,
  signalNames,
} from "./signals.js";
export { type StorageOffender, type StorageSignal, storageOffenders } from "./storage-limits.js";
export {
  byUrgency,
  type DerivedThresholds,
  dueThresholds,
  type EvictionThreshold,
  isHard,
  type MetSince,
  metSince,
  sameValue,
  type ThresholdValue,
  thresholdsMet,
  withContainerFs,
  withNewStatistics,
} from "./thresholds.js";
