/**
 * The plugin contract, read from top to bottom: what a plugin is, what it gets, and in contract/ each part
 * of that. Public: a change here breaks existing plugins.
 */

import type { ContainerStatus, Sandbox } from "@hooklet/cri-api";
import type { Host } from "@hooklet/linux";
import type { Pod } from "@hooklet/manifest";
import type { Clock } from "@hooklet/utils";
import type { Logger } from "pino";
import type { PluginHooks } from "../hooks/hooks.js";
import type { ObjectsPort } from "../sources/objects.js";
import type { PodSource } from "../sources/port.js";
import type { NodePort } from "./contract/node.js";
import type { PodsPort } from "./contract/pods.js";
import type { Providers } from "./contract/providers.js";
import type { Checkpoint, Decision, DecisionRecorder, EventRecorder, Metrics } from "./contract/records.js";
import type { PluginRuntime } from "./contract/runtime.js";
import type { OptionsSchema, StrategyTables } from "./contract/strategy.js";
import type { View } from "./contract/views.js";
import type { World } from "./contract/world.js";

export type {
  Apart,
  ApartOperations,
  ApartWork,
  DiskUsage,
  Host,
  HostFileSystem,
  KernelFileReader,
  KernelFiles,
  KernelLogRecord,
} from "@hooklet/linux";
export * from "../sources/objects.js";
export * from "./contract/node.js";
export * from "./contract/node.js";
export * from "./contract/pods.js";
export * from "./contract/providers.js";
export * from "./contract/records.js";
export * from "./contract/runtime.js";
export * from "./contract/statistics.js";
export * from "./contract/strategy.js";
export * from "./contract/views.js";
export * from "./contract/world.js";

export const PLUGIN_API = 1;

export interface PluginMeta {
  /** The package's name, or for a single file any name of letters, digits, `-`, `_`, `.`, `/` and `@`. */
  readonly name: string;
  /** Version of this contract: 1. */
  readonly api: typeof PLUGIN_API;
  /** Names of plugins that must be present; they are started before this one. */
  readonly requires?: readonly string[];
  /** One line for `hooklet get plugins`. */
  readonly description?: string;
}

/**
 * A plugin. `definePlugin` infers both types: `Options` from the schema, `Strategies` from the tables.
 */
export interface NodePlugin<Options = unknown, Strategies = unknown> {
  readonly meta: PluginMeta;
  /** Validated before anything starts; errors name the place in the rc file. Without it the plugin takes no options. */
  readonly options?: OptionsSchema<Options> | undefined;
  /**
   * Strategy points: option name -> table of the built-in strategies, the default first. The value in the rc file is a name or
   * `{use, options}`; `start` gets the strategy that it names. The schema of the options does not name strategy points.
   */
  readonly strategies?: StrategyTables<Strategies> | undefined;
  /** Taps and prepares. No I/O. Called once. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a plugin that only taps returns nothing
  start(ctx: NodeContext, options: Options, strategies: Strategies): PluginInstance | undefined | void;
}

export interface PluginInstance {
  /**
   * Called once after `start` of all plugins and before the first pod is admitted, with the `pods`, `sandboxes` and
   * `containers` that run now. Read your checkpoints here; where they disagree, trust `observed`. Running pods whose source delivers
   * them later come through `podAdmit`, with their containers in `running`.
   */
  open?(observed: NodeView): void | Promise<void>;
  /** Tables for `hooklet get NAME` and the control socket: `{description, columns, rows}` by name. No other plugin may have the name. */
  readonly views?: Readonly<Record<string, View>>;
  /**
   * Dry run for `hooklet plan PLUGIN`: decides and changes nothing. `input.pod` is the pod of `-f POD.yaml`, `input.arguments` has the
   * other `--name value` options of the command line, as texts.
   */
  plan?(input: PlanInput): Promise<readonly Decision[]>;
  /**
   * What the plugin reports now about a subject of `hooklet explain KIND NAME`, in addition to the recorded decisions. The kind is `pod`
   * (name: `namespace/name`), `image`, `device` or a kind of the plugin.
   */
  explain?(kind: string, name: string): Promise<readonly Decision[]>;
  /** The plugin's part of /healthz: `{ok, message?}`. Synchronous and cheap. */
  health?(): HealthPart;
  /**
   * Closes what is open. Called in reverse order of start, also after an `open`, or the `start` of another plugin, failed; may be called twice. If
   * your own `start` throws, hooklet has no `stop` to call: close there what you opened.
   */
  stop?(): void | Promise<void>;
}

export interface HealthPart {
  readonly ok: boolean;
  /** What is wrong, or a short note on what is healthy. */
  readonly message?: string;
}

/** What is on the node at start. */
export interface NodeView {
  readonly pods: readonly Pod[];
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly ContainerStatus[];
}

export interface PlanInput {
  /** The pod of `-f POD.yaml`, defaulted and validated. */
  readonly pod?: Pod;
  /** Further `--name value` arguments of the command line. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** All that a plugin can do. */
export interface NodeContext {
  /** The plugin's own name. */
  readonly plugin: string;
  /** `podAdmit`, `containerStart`, `podTerminate` and `tick(seconds)`. `tap` is for `start` only. */
  readonly hooks: PluginHooks;
  /** `now()` in milliseconds since 1970, `monotonic()` for durations, `schedule()` for timers. Tests replace it. */
  readonly clock: Clock;
  /** The container runtime: `listContainers`, `containerStatus`, `execSync`, `listImages`, `removeImage` and others. */
  readonly runtime: PluginRuntime;
  /** Pods with their status: `list`, `get`, `active`, `watch`, `evict`, `restartContainer`, `setContainerReady`, `setCondition` and others. */
  readonly pods: PodsPort;
  /** The node: `capacity`, `allocatable`, `statistics`, `setCondition`, `setLabels`, `setTaints`, `setExtendedResource` and others. */
  readonly node: NodePort;
  /** `of(pod)` reads and watches the ConfigMaps and Secrets that the pod may use. */
  readonly objects: ObjectsPort;
  /** Files, processes and kernel values of the machine. Tests replace it. */
  readonly host: Host;
  /** `get(seam)`: what is bound to a seam of the plugin, by default its real implementation. */
  readonly world: World;
  /** Publishes Kubernetes events: `pod(pod, type, reason, message, container?)` and `node(type, reason, message)`. The type is `Normal` or `Warning`. */
  readonly events: EventRecorder;
  /** `record(decision)`: for `hooklet explain`. */
  readonly decisions: DecisionRecorder;
  /** `counter`, `gauge` and `histogram`, and `collect` for values that are read at each scrape. For `start` only. */
  readonly metrics: Metrics;
  /** A pino logger: `log.info({ pod: name }, "text")`. */
  readonly log: Logger;
  /** A state file of the plugin: `read()`, `write(json)`, and `keep` for a value that changes often. */
  checkpoint(name: string): Checkpoint;
  /** Adds a source of pods, and gives it the statuses of its pods. For `start` only. */
  addSource(source: PodSource): void;
  /** Supplies what core does not have: `values`, `volumes`, `credentials`, `readinessGates`, `objects`, `reviews`, `servingCertificate`. For `start` only. */
  readonly provide: Providers;
  /** Aborted when the agent stops, with an error of code `AGENT_STOPPING`. */
  readonly signal: AbortSignal;
}

/** Gives a plugin its types; returns it unchanged. */
export function definePlugin<Options, Strategies = unknown>(
  plugin: NodePlugin<Options, Strategies>,
): NodePlugin<Options, Strategies> {
  return plugin;
}
