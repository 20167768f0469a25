/**
 * Unstable: what plugins need that are a subsystem of the node (statistics, NUMA hints, reclaim, kernel files, objects of the API). It may
 * change with any minor version.
 */
import "./one-core.js";

export type { ContainerStats, LinuxContainerResources, PullCredentials } from "@hooklet/cri-api";
export type {
  Apart,
  ApartOperations,
  ApartWork,
  DiskUsage,
  HostFileSystem,
  KernelFileReader,
  KernelFiles,
  KernelLogRecord,
} from "@hooklet/linux";
export { type ApiObject, type ContainerRef, isRecord, timestamp } from "@hooklet/manifest";
export {
  errno,
  formatDuration,
  millisecondsOf,
  pause,
  thrownText,
  unless,
  unlessAborted,
  whenGone,
} from "@hooklet/utils";
export type { PodDirectory, PodVolumeDirectory, VolumeDirectory } from "@hooklet/volumes";
export type {
  AlignedResult,
  HintProvider,
  NodeConditionState,
  PodCgroups,
  ReclaimedFileSystem,
  Reclaimer,
  ReclaimOffer,
  ReclaimResult,
  ResourceHints,
  TopologyHint,
} from "./plugin/contract/node.js";
export type {
  AllocatedResourceStatus,
  AppliedResources,
} from "./plugin/contract/pods.js";
export type {
  CredentialProvider,
  KeyedValues,
  Providers,
  ValueProvider,
  VolumeProvider,
} from "./plugin/contract/providers.js";
export type {
  Collected,
  CollectOptions,
  EventType,
  KeepOptions,
  KeptState,
  MetricOptions,
  Sample,
} from "./plugin/contract/records.js";
export type { FileSystem, NodeFileSystems, RuntimeFacts } from "./plugin/contract/runtime.js";
export type {
  ContainerStatistics,
  CpuStatistics,
  FsStatistics,
  InterfaceStatistics,
  MemoryStatistics,
  NetworkStatistics,
  NodeMemory,
  NodeStatistics,
  NodeSummary,
  PodStatistics,
  PsiData,
  PsiStatistics,
  StatisticsProvider,
  VolumeStatistics,
} from "./plugin/contract/statistics.js";
export type { StrategyTables } from "./plugin/contract/strategy.js";
export { defineSeam, type Seam, type World } from "./plugin/contract/world.js";
export type {
  ObjectChange,
  ObjectKind,
  ObjectName,
  ObjectSource,
  ObjectsPort,
  Reviews,
  ServiceAccountToken,
  ServingCertificate,
} from "./sources/objects.js";
