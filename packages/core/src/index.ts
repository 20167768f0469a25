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
  type PredicateName,
  pluginResourcesFailed,
  predicateFailed,
  recoveryFailed,
  reportedRejection,
  unknownReason,
} from "./admission/reasons.js";
export { shortfalls } from "./admission/resource-fit.js";
export { tolerates } from "./admission/taints.js";
export {
  AdmissionVerdict,
  type PodContributions,
  type Rejection,
  type ResourceShortfall,
  type Undo,
} from "./admission/verdict.js";
export { type Agent, type AgentOptions, startAgent } from "./agent/agent.js";
export type {
  AgentApi,
  ApplyResult,
  HealthReport,
  LogFile,
  NodeReport,
  PluginReport,
  PodName,
  TapReport,
} from "./agent/api.js";
export { Ticks } from "./agent/ticks.js";
export { ContainerPlanBuilder, type PlanBase, type PlanResult } from "./claims.js";
export { AgentClient, type EventQuery, type LogQuery } from "./client/client.js";
export type { ExecOptions, ExecSession } from "./client/exec.js";
export { AgentAnswerError } from "./client/transport.js";
export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { type ConfigFault, ConfigFaultsError, faultText } from "./config/faults.js";
export type { ConfigFlags } from "./config/flags.js";
export { type LoadConfigInput, loadConfig } from "./config/load-config.js";
export { type Modules, nodeModules } from "./config/modules.js";
export { rcJsonSchema, rcOptionTable, withGenerated } from "./config/option-table.js";
export { configJson, renderConfig } from "./config/render.js";
export { defineConfig, type HookletConfig, rcSchema } from "./config/schema.js";
export type { AgentConfig, LoadedPlugin, LoadedRuntime, NodeConfig, SourcesConfig } from "./config/types.js";
export { duration } from "./config/values.js";
export { ClaimConflictError, errorText, NodeAgentError, type NodeAgentErrorCode } from "./errors.js";
export { createGuardedHooks, type GuardedHooks, type GuardOptions, type TapCall } from "./guard.js";
export {
  type ContainerStartEvent,
  type NodeHooks,
  type PluginHooks,
  type PodAdmitEvent,
  type PodTerminateEvent,
  Stage,
  type TapOptions,
  type TickEvent,
} from "./hooks.js";
export { canonicalName, type ImageReference, parseReference } from "./images/reference.js";
export type { Json } from "./json.js";
export { defaultPod, defaultProbe } from "./manifest/defaults.js";
export { ManifestError, type ManifestFault } from "./manifest/error.js";
export { apiPod, type StaticOrigin, staticPod } from "./manifest/identity.js";
export { type Identify, readManifest } from "./manifest/manifest.js";
export { probeFaults } from "./manifest/rules/handlers.js";
export { didYouMean, nearest } from "./nearest.js";
export { type MachineFacts, machineCapacity, type NodeAmounts, nodeAmounts, toQuantityTexts } from "./node/capacity.js";
export { Node, type NodeInit } from "./node/node.js";
export {
  checkReservation,
  nodeReservation,
  parseReservations,
  type Reservations,
  type Thresholds,
} from "./node/reservation.js";
export {
  defaultEvictionHard,
  effectiveEvictionHard,
  parsePercentage,
  parseThreshold,
  type Threshold,
  thresholdQuantity,
} from "./node/threshold.js";
export type { AfterStart, ContainerPlan, PlanOwners, StartedContainer } from "./plan.js";
export { type CheckedPlugin, checkPlugin } from "./plugin/check-plugin.js";
export type { HostPorts } from "./plugin/context.js";
export {
  type Checkpoint,
  type Decision,
  type DecisionRecorder,
  definePlugin,
  type EventRecorder,
  type EventType,
  type Eviction,
  type HealthPart,
  type MetricOptions,
  type Metrics,
  type NodeContext,
  type NodePlugin,
  type NodePort,
  type NodeView,
  type OptionsSchema,
  PLUGIN_API,
  type PlanInput,
  type PluginInstance,
  type PluginMeta,
  type PluginRuntime,
  type PodsPort,
  type Resources,
  type RestartRequest,
  type StrategyEntry,
  type StrategyTable,
  type View,
  type ViewColumn,
  type ViewRow,
} from "./plugin/contract.js";
export { PluginHost } from "./plugin/host.js";
export type { Importer } from "./plugin/import-file.js";
export { MetricRegistries } from "./plugin/metrics.js";
export { schemaOf } from "./plugin/options.js";
export { type OptionsRequest, type ParsedOptions, parseOptions } from "./plugin/parse-options.js";
export { strategyName } from "./plugin/strategy.js";
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
export { killTimeoutSeconds } from "./pod/grace.js";
export { expand } from "./pod/spec/expand.js";
export type { TerminationCause } from "./pod/termination.js";
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
export { Semaphore } from "./semaphore.js";
export { type ControlSource, type ControlSourceOptions, controlSource } from "./sources/control.js";
export { type ManifestFolderOptions, manifestFolder } from "./sources/manifest-folder.js";
export { type ManifestUrlOptions, manifestUrl } from "./sources/manifest-url.js";
export type { DesiredPods, PodSource, SourceFault, SourceSink } from "./sources/port.js";
export { decodeChecked, encodeChecked, removeLeftover, writeFileAtomic } from "./state/atomic-file.js";
export { type CheckpointOptions, openCheckpoint } from "./state/checkpoint.js";
export { lockRootDir, type RootDirLock } from "./state/lock.js";
