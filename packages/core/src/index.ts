/**
 * What a plugin author needs, in four parts; read plugin/contract.ts first. What only node subsystems need is behind
 * `@hooklet/core/subsystem`, the kubelet's rules as pure functions behind `@hooklet/core/rules`, and what starts an agent, a runtime or a
 * source behind `@hooklet/core/host`.
 */
import "./one-core.js";

// A plugin: what it is, what it gets, what it returns.

export {
  type Clock,
  errorText,
  invalid,
  isNodeAgentError,
  type Json,
  NodeAgentError,
  type NodeAgentErrorCode,
  sleep,
  type Timer,
  withDeadline,
} from "@hooklet/utils";
export { defineConfig, type HookletConfig } from "./config/schema.js";
export { duration } from "./config/values.js";
export type { Checkpoint } from "./plugin/contract/records.js";
export type { OptionsSchema, StrategyEntry, StrategyTable } from "./plugin/contract/strategy.js";
export type { View, ViewColumn, ViewRow } from "./plugin/contract/views.js";
export {
  definePlugin,
  type HealthPart,
  type NodeContext,
  type NodePlugin,
  type NodeView,
  type PlanInput,
  type PluginInstance,
  type PluginMeta,
} from "./plugin/contract.js";
export { strategyName } from "./plugin/loaded.js";

// Hooks: what taps get and give.

export type {
  ContainerStartEvent,
  PluginHooks,
  PodAdmitEvent,
  PodTerminateEvent,
  TapOptions,
  TickEvent,
} from "./hooks/hooks.js";
export type { TerminationCause } from "./hooks/termination.js";
export {
  AdmissionVerdict,
  type Postponement,
  type Rejection,
  type ResourceShortfall,
  type Undo,
} from "./hooks/verdict.js";
export type { AfterStart, BeforeSandbox, ContainerPlan, SandboxPlan, StartedContainer } from "./plan/contract.js";

// Pods, their containers and what runs of them.

export {
  type Container as RuntimeContainer,
  type ContainerStatus,
  type Device,
  type ExecResult,
  type Image,
  isRuntimeError,
  Labels,
  type Mount,
  type Sandbox,
} from "@hooklet/cri-api";
export {
  allContainers,
  type Container,
  hasEnded,
  isSidecar,
  namespacedName,
  type Pod,
  type QosClass,
  type Resources,
  runnableContainers,
} from "@hooklet/manifest";
export type { Eviction, PodCondition, PodsPort, RestartRequest } from "./plugin/contract/pods.js";
export type { PluginRuntime } from "./plugin/contract/runtime.js";
export { containerSubject, podSubject } from "./plugin/subject.js";

// The node, and what a plugin reports.

export type { Host } from "@hooklet/linux";
export type { NodeCondition, NodeFacts, NodePort, NodeTaint } from "./plugin/contract/node.js";
export type { Decision, DecisionRecorder, EventRecorder, Metrics } from "./plugin/contract/records.js";
