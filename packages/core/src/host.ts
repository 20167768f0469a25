/**
 * What starts an agent, and what a runtime or a source is written with. It loads the whole core.
 */
import "./one-core.js";

// Starting an agent.

export { type Agent, type AgentOptions, startAgent } from "./agent/agent.js";
export { AUDIT_REASON } from "./agent/agent-api.js";
export type { AgentApi, Change, HealthReport, LogFile, PodStream } from "./agent/api.js";
export type { UncaughtKind } from "./agent/crash-loop-guard.js";

// Its configuration.

export { configJson } from "./agent/configz.js";
export type { AgentConfig, NodeServerConfig } from "./config/agent-config.js";
export type { SourcePlugins } from "./config/schema.js";

// A runtime.

export {
  Annotations,
  type AskedRoot,
  type ContainerConfig,
  type ContainerSecurityContext,
  defineRuntime,
  EXEC_SYNC_BYTES,
  type ExecOptions,
  type ImageFsInfo,
  type InteractiveExec,
  type IsolationFact,
  type NamespaceMode,
  type PortMapping,
  type Runtime,
  type RuntimeContext,
  RuntimeError,
  type RuntimeErrorCode,
  type RuntimeEvent,
  type RuntimeFactory,
  type RuntimeFileSystem,
  type RuntimeInfo,
  type SandboxConfig,
  type SandboxMetadata,
  type SandboxStatus,
  type SecurityProfile,
  type StreamParts,
  type StreamRequest,
  type StringMap,
} from "@hooklet/cri-api";
export { dockerConfigFiles, nodeCredentials } from "./images/docker-config-file.js";

// A source of pods.

export type { DesiredPods, PodChanges, PodSource, SourceFault, SourceSink, StatusReport } from "./sources/port.js";
