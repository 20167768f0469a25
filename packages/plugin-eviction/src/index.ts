/** Node-pressure eviction of the kubelet as a hooklet plugin, and its pure parts. */
export { rejectedByPressure } from "./admit.js";
export { type DiskLayout, layoutOf, type StorageKind } from "./layout.js";
export { MONITORING_INTERVAL_SECONDS, waitForCleanup } from "./loop/cleanup.js";
export { EvictionLoop } from "./loop/loop.js";
export { EvictionManager } from "./loop/manager.js";
export type { PodEviction, RoundPorts } from "./loop/ports.js";
export type { ManagerSettings } from "./loop/settings.js";
export { unwatched, type WatchState, watchMemory } from "./loop/watch.js";
export { type Observation, type Observations, observationsOf } from "./observations.js";
export { type EvictionOptions, thresholdsOf } from "./options.js";
export { plugin as default, plugin as eviction } from "./plugin.js";
export { type Ranking, rank } from "./rank.js";
export { memoryHierarchy, memoryOnly } from "./readings/machine.js";
export { nodeStatistics } from "./readings/own.js";
export { byUrgency } from "./round/choose.js";
export { type ObservedAt, observedAt, reportedConditions } from "./round/conditions.js";
export { effectiveGracePeriod, gracePeriodOverride } from "./round/grace.js";
export { type ReclaimFunction, reclaimFunctions } from "./round/reclaim.js";
export {
  type Action,
  actionFor,
  chooseVictim,
  type EvictionOrder,
  isRelieved,
  type Look,
  type LookInput,
  look,
  orderFor,
  type VictimChoice,
  type VictimInput,
} from "./round/round.js";
export { type EvictionState, initialState, withLayout } from "./round/state.js";
export { dueThresholds, type MetSince, metSince, thresholdsMet, withNewStatistics } from "./round/thresholds-met.js";
export {
  conditionsOf,
  isSignal,
  type PressureCondition,
  resourceOf,
  type Signal,
  type StarvedResource,
  signalNames,
} from "./signals.js";
export {
  type ContainerStatistics,
  type FileSystemStatistics,
  type MemoryStatistics,
  type NodeStatistics,
  type PodStatistics,
  podsCgroup,
  type Statistics,
  type StatisticsByUid,
  statisticsByUid,
  type VolumeStatistics,
} from "./statistics.js";
export { type StorageOffender, type StorageSignal, storageOffenders } from "./storage/offenders.js";
export { kubelet } from "./strategies/kubelet.js";
export { largestUsage } from "./strategies/largest-usage.js";
export { lowestPriorityFirst } from "./strategies/lowest-priority-first.js";
export { rankingStrategies } from "./strategies/table.js";
export type { Ranked, RankingInput, RankingStrategy } from "./strategy.js";
export { type DerivedThresholds, withContainerFs } from "./thresholds/containerfs.js";
export { parseGoDuration } from "./thresholds/go-duration.js";
export { parseThresholdConfig, type SignalTexts, type ThresholdSettings } from "./thresholds/parse.js";
export { type EvictionThreshold, isHard, sameValue, type ThresholdValue } from "./thresholds/threshold.js";
export { candidateOf, candidatesFor, type EvictionCandidate } from "./usage/candidate.js";
export { type DiskUsage, diskUsage } from "./usage/pod-usage.js";
export { availableText } from "./words/amounts.js";
export { type EvictionMessage, evictionMessage } from "./words/message.js";
export { type ConditionChange, type ConditionStatus, conditionChange, pressureConditions } from "./words/words.js";
