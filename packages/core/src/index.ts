/**
 * The first door: what a plugin author needs; read plugin/contract.ts first. The kubelet's rules as pure functions are behind
 * `@hooklet/core/rules`; what runtimes, sources and tools stand on behind `@hooklet/core/host`.
 */
import "./lib/one-core.js";

// Pods, containers, images.
export {
  type ApiObject,
  allContainers,
  type Container,
  type ContainerRef,
  hasEnded,
  isRecord,
  isSidecar,
  namespacedName,
  type Pod,
  type QosClass,
  type Resources,
  runnableContainers,
  timestamp,
} from "@hooklet/manifest";
// Time and errors.
export { type Clock, pause, sleep, type Timer, withDeadline } from "./clock.js";
// Options and configuration.
export { defineConfig, type HookletConfig } from "./config/schema.js";
export { duration } from "./config/values.js";
export {
  ClaimConflictError,
  errorText,
  invalid,
  isNodeAgentError,
  NodeAgentError,
  type NodeAgentErrorCode,
} from "./errors.js";
// What its taps get and give.
export type {
  ContainerStartEvent,
  PluginHooks,
  PodAdmitEvent,
  PodTerminateEvent,
  TapOptions,
  TickEvent,
} from "./hooks/hooks.js";
export type { TerminationCause } from "./hooks/termination.js";
export type { AdmissionVerdict, Postponement, Rejection, ResourceShortfall, Undo } from "./hooks/verdict.js";
export { formatDuration } from "./lib/duration.js";
export { errno, unless, whenGone } from "./lib/errno.js";
export type { Json } from "./lib/json.js";
export { containerSubject, podSubject } from "./lib/subject.js";
export { millisecondsOf, rfc3339 } from "./lib/time.js";
export { unlessAborted } from "./lib/unless-aborted.js";
export { strategyName } from "./load/strategy.js";
export type { AfterStart, BeforeSandbox, ContainerPlan, SandboxPlan, StartedContainer } from "./plan/contract.js";
export type { NodeFacts, NodeTaint } from "./plugin/contract/node-facts.js";
// A plugin, and all that it is given.
export * from "./plugin/contract.js";
export { isRuntimeError } from "./runtime/errors.js";
export {
  type Container as RuntimeContainer,
  type ContainerStats,
  type ContainerStatus,
  type Device,
  type ExecResult,
  type Image,
  Labels,
  type LinuxContainerResources,
  type Mount,
  type Sandbox,
} from "./runtime/port.js";
export type { DesiredPods, PodChanges, PodSource, SourceFault, SourceSink, StatusReport } from "./sources/port.js";
