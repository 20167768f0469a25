/**
 * The third door: what runtimes, sources, server, CLI and test tools stand on, startAgent first. It loads the whole core; what is
 * quick to load is behind `@hooklet/core/base`, and no name is behind both.
 */
import "./lib/one-core.js";

export { apiPod, defaultProbe, type Identify, probeFaults, readManifest } from "@hooklet/manifest";
export { type Agent, type AgentOptions, startAgent } from "./agent/agent.js";
export { AUDIT_REASON } from "./agent/agent-api.js";
export type {
  AgentApi,
  ApplyResult,
  Change,
  HealthReport,
  LogFile,
  NodeReport,
  PluginReport,
  PodName,
  PodStream,
  TapReport,
} from "./agent/api.js";
export { createPluginRuntime, type PluginRuntimeParts } from "./agent/plugin-runtime.js";
export { Ticks } from "./agent/ticks.js";
export type { Unforeseen } from "./agent/unforeseen.js";
export { configJson } from "./config/effective.js";
export type { ConfigFlags } from "./config/flags.js";
export type { Layer } from "./config/layers.js";
export { type LoadConfigInput, loadConfig, withoutSources } from "./config/load-config.js";
export { locateIn, type Position, type RcFile } from "./config/locate.js";
export { rcJsonSchema, rcOptionTable, withGenerated } from "./config/option-table.js";
export { parseYamlText, TextFault } from "./config/parse-text.js";
export { searchPlaces } from "./config/rc-file.js";
export { rcSchema } from "./config/schema.js";
export type { SourcePlugin, SourcePlugins } from "./config/sources-schema.js";
export type { AgentConfig, NodeConfig, NodeServerConfig, SourcesConfig, SwitchedOff } from "./config/types.js";
export {
  type ConfigFault,
  ConfigFaultsError,
  faultText,
  isConfigFaultsError,
  type Path,
  pathText,
  type ValueFault,
  wordFault,
} from "./faults/faults.js";
export { type Parsed, parseWith } from "./faults/schema-faults.js";
export { openOwn, writeOwn } from "./files/own-file.js";
export { Place } from "./files/place.js";
export { openForAppending, openLogFolder, readBounded } from "./files/regular-file.js";
export { removeTree } from "./files/remove-tree.js";
export { createGuardedHooks, type GuardedHooks } from "./hooks/guard.js";
export type { NodeHooks } from "./hooks/hooks.js";
export type { GuardOptions, TapCall } from "./hooks/tap-record.js";
export { AdmissionVerdict } from "./hooks/verdict.js";
export { boundedDiskUsage, boundedStatfs, checkPid } from "./host/bounded.js";
export { type CgroupMount, type MadeCgroup, makeCgroup, type NotHandedDown } from "./host/cgroup-tree.js";
export { closeInheritedDescriptors } from "./host/descriptors.js";
export { HelperPool, type HelperPoolOptions } from "./host/helper-pool.js";
export { type HelperOperations, serveHelper } from "./host/helper-process.js";
export { kernelFiles } from "./host/kernel-files.js";
export { killCgroup, pidsBelow } from "./host/kill-cgroup.js";
export { nodeHost } from "./host/node-host.js";
export { ownCgroups } from "./host/proc-cgroup.js";
export { identify, identifyListed, isAlive, type ProcessIdentity } from "./host/process-identity.js";
export { type ProcessStat, parseStat, readStat } from "./host/process-stat.js";
export { SharedHelper, type SharedHelperOptions } from "./host/shared-helper.js";
export { Signals } from "./host/signals.js";
export { ImageLeases } from "./images/leases.js";
export { deepFreeze } from "./lib/freeze.js";
export type { IdSource } from "./lib/ids.js";
export { requireOneCore } from "./lib/one-core.js";
export { Semaphore } from "./lib/semaphore.js";
export {
  dataFrame,
  FrameReader,
  headerBlock,
  openFrame,
  pingFrame,
  readHeaders,
  replyFrame,
  resetFrame,
  type SpdyFrame,
} from "./lib/spdy-frames.js";
export { type CheckedPlugin, checkPlugin } from "./load/check-plugin.js";
export type { Importer } from "./load/import-file.js";
export type { LoadedRuntime } from "./load/load-runtime.js";
export { type Modules, nodeModules } from "./load/modules.js";
export { type OptionsRequest, type ParsedOptions, parseOptions } from "./load/parse-options.js";
export { assertLogThere } from "./logs/log-there.js";
export { assertTimes } from "./logs/log-times.js";
export { type LogPosition, readLog } from "./logs/read-log.js";
export { Node, type NodeInit } from "./node/node.js";
export { createNodePorts, type NodePorts } from "./node/ports.js";
export { ContainerPlanBuilder, type PlanBase, type PlanResult } from "./plan/builder.js";
export type { PlanOwners } from "./plan/contract.js";
export {
  SandboxPlanBuilder,
  type SandboxPlanFacts,
  type SandboxPlanResult,
} from "./plan/sandbox-builder.js";
export type { HostPorts } from "./plugin/context.js";
export { PluginHost } from "./plugin/host.js";
export type { LoadedPlugin } from "./plugin/loaded.js";
export { MetricRegistries } from "./plugin/metrics.js";
export { ProviderRegistry } from "./plugin/providers.js";
export { podVolumeOf } from "./pod/life/pod-volume.js";
export { type VolumeCalls, volumeCallsHere } from "./pod/life/volume-calls.js";
export { RuntimeError, type RuntimeErrorCode } from "./runtime/errors.js";
export { defineRuntime, type RuntimeContext, type RuntimeFactory } from "./runtime/factory.js";
export type { ImageFsInfo } from "./runtime/port.js";
export {
  Annotations,
  type AskedRoot,
  type Container as RuntimeContainer,
  type ContainerConfig,
  type ContainerSecurityContext,
  type ContainerState,
  EXEC_SYNC_BYTES,
  type InteractiveExec,
  type IsolationFact,
  type NamespaceMode,
  type PortMapping,
  type Runtime,
  type RuntimeEvent,
  type RuntimeFileSystem,
  type RuntimeInfo,
  type SandboxConfig,
  type SandboxMetadata,
  type SandboxStatus,
  type SecurityProfile,
  type StreamParts,
  type StreamRequest,
  type StringMap,
} from "./runtime/port.js";
export { type ManifestFolderOptions, manifestFolder } from "./sources/manifest-folder.js";
export { type ManifestUrlOptions, manifestUrl } from "./sources/manifest-url.js";
export type { DesiredPods, PodChanges, PodSource, SourceFault, SourceSink, StatusReport } from "./sources/port.js";
export { runsTheSame, saysTheSame } from "./sources/same-pod.js";
export { decodeChecked, encodeChecked, writeFileAtomic } from "./state/atomic-file.js";
export { type CheckpointOptions, openStateFile, type StateCodec, type StateFile } from "./state/checkpoint.js";
export type { RootDirLock } from "./state/lock.js";
