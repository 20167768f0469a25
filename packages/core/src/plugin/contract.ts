/**
 * The plugin contract, read from top to bottom: what a plugin is, what it gets, and in contract/ each part
 * of that. Public: a change here breaks existing plugins.
 */

import type { Host } from "@hooklet/linux";
import type { Pod } from "@hooklet/manifest";
import type { Clock } from "@hooklet/utils";
import type { Logger } from "pino";
import type { PluginHooks } from "../hooks/hooks.js";
import type { ContainerStatus, Sandbox } from "../runtime/port.js";
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
export * from "./contract/pods.js";
export * from "./contract/providers.js";
export * from "./contract/records.js";
export * from "./contract/runtime.js";
export * from "./contract/statistics.js";
export * from "./contract/strategy.js";
export * from "./contract/topology.js";
export * from "./contract/views.js";
export * from "./contract/world.js";

export const PLUGIN_API = 1;

export interface PluginMeta {
  /** The package's name, or for a single file any name of letters, digits, `-`, `_`, `.`, `/` and `@`. */
  readonly name: string;
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
   * Called once after `start` of all plugins and before the first pod is admitted, with what runs now: read your checkpoints
   * here, and trust what is observed over what is remembered. Pods whose source speaks later come through `podAdmit` with
   * what runs of them.
   */
  open?(observed: NodeView): void | Promise<void>;
  /** Tables for `hooklet get NAME` and the control socket. Names are unique over all plugins. */
  readonly views?: Readonly<Record<string, View>>;
  /** Dry run for `hooklet plan PLUGIN`: decides and changes nothing. */
  plan?(input: PlanInput): Promise<readonly Decision[]>;
  /**
   * What the plugin reports now about a subject of `hooklet explain KIND NAME`, in addition to the recorded decisions: kind is `pod`
   * (name `namespace/name`), `image`, `device` or a kind of the plugin.
   */
  explain?(kind: string, name: string): Promise<readonly Decision[]>;
  /** A named part of /healthz. Synchronous and cheap. */
  health?(): HealthPart;
  /** Called in reverse order of start; may be called twice, and after a `start` that threw. */
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
  readonly hooks: PluginHooks;
  readonly clock: Clock;
  readonly runtime: PluginRuntime;
  readonly pods: PodsPort;
  readonly node: NodePort;
  readonly objects: ObjectsPort;
  readonly host: Host;
  /** The world outside of the agent, at the plugin's own seams. */
  readonly world: World;
  readonly events: EventRecorder;
  readonly decisions: DecisionRecorder;
  readonly metrics: Metrics;
  readonly log: Logger;
  checkpoint(name: string): Checkpoint;
  /** Delivers pods from elsewhere and takes their statuses back. For `start` only. */
  addSource(source: PodSource): void;
  readonly provide: Providers;
  /** Aborted when the agent stops, with an error of code AGENT_STOPPING, as everything that the stop cuts short. */
  readonly signal: AbortSignal;
}

/** Gives a plugin its types; returns it unchanged. */
export function definePlugin<Options, Strategies = unknown>(
  plugin: NodePlugin<Options, Strategies>,
): NodePlugin<Options, Strategies> {
  return plugin;
}
