export {
  type Container,
  type ContainerRef,
  isSidecar,
  type Pod,
  type QosClass,
  type Resources,
} from "@hooklet/manifest";
export type { NodeFacts, NodeTaint } from "./admission/node-facts.js";
export {
  AdmissionVerdict,
  type PodContributions,
  type Rejection,
  type ResourceShortfall,
  type Undo,
} from "./admission/verdict.js";
export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";
export { defineConfig, type HookletConfig } from "./config/schema.js";
export { duration } from "./config/values.js";
export {
  agentNotRunning,
  ClaimConflictError,
  errorText,
  invalid,
  isNodeAgentError,
  NodeAgentError,
  type NodeAgentErrorCode,
  notFound,
} from "./errors.js";
export {
  type ContainerStartEvent,
  type PluginHooks,
  type PodAdmitEvent,
  type PodTerminateEvent,
  Stage,
  type TapOptions,
  type TickEvent,
} from "./hooks/hooks.js";
export type { Json } from "./lib/json.js";
export type { AfterStart, ContainerPlan, StartedContainer } from "./plan/contract.js";
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
  type RestartRequest,
  type StrategyEntry,
  type StrategyTable,
  type View,
  type ViewColumn,
  type ViewRow,
} from "./plugin/contract.js";
export { strategyName } from "./plugin/strategy.js";
export type { TerminationCause } from "./pod/termination.js";
export type {
  ContainerStats,
  ContainerStatus,
  Device,
  ExecResult,
  Image,
  ImageFsInfo,
  LinuxContainerResources,
  Mount,
  Sandbox,
} from "./runtime/port.js";
