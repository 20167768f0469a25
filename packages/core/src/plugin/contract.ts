/** The plugin contract (design section 4). Public: whatever changes here breaks other people's plugins. */

import type { ContainerRef, Pod, Resources } from "@hooklet/manifest";
import type { Logger } from "pino";
import type { z } from "zod";
import type { NodeFacts } from "../admission/node-facts.js";
import type { Clock } from "../clock.js";
import type { PluginHooks } from "../hooks.js";
import type { Json } from "../json.js";
import type {
  ContainerStats,
  ContainerStatus,
  ExecResult,
  Image,
  ImageFsInfo,
  LinuxContainerResources,
  Sandbox,
} from "../runtime/port.js";

export const PLUGIN_API = 1;

/**
 * A zod schema of an object; unknown keys are refused by the loader whatever the schema says. A function gets hooklet's
 * own zod, so that a plugin of one file needs no package: `options: (z) => z.object({ ... })`.
 */
export type OptionsSchema<Options> = z.ZodType<Options> | ((zod: typeof z) => z.ZodType<Options>);

export interface PluginMeta {
  /** The package's name, or for a single file any name of letters, digits, `-`, `_`, `.`, `/` and `@`. */
  readonly name: string;
  readonly api: typeof PLUGIN_API;
  /** Names of plugins that must be present; they are started before this one. */
  readonly requires?: readonly string[];
  /** One line for `hooklet get plugins`. */
  readonly description?: string;
}

export interface NodePlugin<Options = unknown> {
  readonly meta: PluginMeta;
  /** Validated before anything starts; errors name the place in the rc file. Without it the plugin takes none. */
  readonly options?: OptionsSchema<Options> | undefined;
  /**
   * Strategy points: option name -> table of the built-in strategies, the default first. The rc value is a name or
   * `{use, options}`; the option that `start` gets is the strategy made of it. The schema need not name it.
   */
  readonly strategies?: Readonly<Record<string, StrategyTable<unknown>>>;
  /** Taps and prepares. No I/O. Called once. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a plugin that only taps returns nothing
  start(ctx: NodeContext, options: Options): PluginInstance | undefined | void;
}

export interface PluginInstance {
  /**
   * Called once after `start` of all plugins and before the first pod is admitted, with what `snapshot` gave in an earlier
   * life (undefined: nothing, or it was damaged) and what runs now. Trust what is observed over what is remembered.
   * When it throws on what was saved it is called once more without it.
   */
  restore?(saved: Json | undefined, observed: NodeView): void | Promise<void>;
  /** Called now and then and before `stop`: what `restore` shall get after a restart. Synchronous and cheap. */
  snapshot?(): Json;
  /** Tables for `hooklet get NAME` and the control socket. Names are unique over all plugins. */
  readonly views?: Readonly<Record<string, View>>;
  /** Dry run for `hooklet plan PLUGIN`: decides and changes nothing. */
  plan?(input: PlanInput): Promise<readonly Decision[]>;
  /** A named part of /healthz. Synchronous and cheap. */
  health?(): HealthPart;
  /** Called in reverse order of start; may be called twice, and after a `start` that threw. */
  stop?(): void | Promise<void>;
}

export interface HealthPart {
  readonly ok: boolean;
  /** What is wrong, or a short word about what is well. */
  readonly message?: string;
}

/** What is on the node at start. */
export interface NodeView {
  readonly pods: readonly Pod[];
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly ContainerStatus[];
}

/** A table that people and programs read. */
export interface View {
  readonly description: string;
  readonly columns: readonly ViewColumn[];
  /** One record per row, keyed by column name; may hold more than the columns show. */
  rows(): readonly ViewRow[] | Promise<readonly ViewRow[]>;
}

export interface ViewColumn {
  readonly name: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

export type ViewRow = Readonly<Record<string, Json>>;

export interface PlanInput {
  /** The pod of `-f POD.yaml`, defaulted and validated. */
  readonly pod?: Pod;
  /** Further `--name value` arguments of the command line. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** One choice that was made, and why. `hooklet explain` prints it. */
export interface Decision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly plugin: string;
  readonly strategy: string;
  /** What it is about: `pod/<namespace>/<name>`, `container/<namespace>/<pod>/<name>`, `image/<id>`, `device/<resource>/<id>`. */
  readonly subject: string;
  readonly considered: readonly { readonly candidate: string; readonly verdict: string; readonly why: string }[];
  readonly outcome: string;
}

export interface DecisionRecorder {
  record(decision: Omit<Decision, "at" | "plugin">): void;
}

export type EventType = "Normal" | "Warning";

/** Events about a pod, in the kubelet's words. The same event again within ten minutes counts up. */
export interface EventRecorder {
  /** `container` gives the event the field path `spec.containers{name}`; annotations are the event's own. */
  pod(
    pod: Pod,
    type: EventType,
    reason: string,
    message: string,
    container?: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
  node(type: EventType, reason: string, message: string): void;
}

/** The pods as plugins see and move them. */
export interface PodsPort {
  /** All pods that are known, with their status, also those being stopped. */
  list(): readonly Pod[];
  get(uid: string): Pod | undefined;
  /** Pods that hold resources of the node: admitted and not ended. */
  active(): readonly Pod[];
  /**
   * Stops a pod for good: a Warning event, then phase Failed, with this reason and message. Resolves when its containers
   * are gone; a pod that is being stopped already is not evicted again, only told to hurry where the grace period is shorter, and waited for. Rejects when that took longer
   * than max(10 s, 1.5 x grace period), when the pod is unknown, and when it is protected: a critical pod is evicted only
   * for a `preemptor` that may preempt it. Over the limit of `node.evictionsPerMinute` it waits for its turn first.
   */
  evict(uid: string, eviction: Eviction): Promise<void>;
  /**
   * Once set, a container counts as ready only while it runs and this says so. Unknown containers are ignored; in `restore`
   * those that run are known, and what is said there holds from the first moment that they are shown.
   */
  setContainerReady(ref: ContainerRef, ready: boolean): void;
  setContainerStarted(ref: ContainerRef, started: boolean): void;
  /** Kills the container; its restart policy decides what comes next. */
  restartContainer(ref: ContainerRef, restart: RestartRequest): void;
  /** The id and start of the container's newest attempt, when it runs. */
  running(
    ref: ContainerRef,
  ): { readonly containerId: string; readonly startedAt: number; readonly restartCount: number } | undefined;
}

export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** Seconds; undefined = the pod's own terminationGracePeriodSeconds. */
  readonly gracePeriodSeconds?: number;
  readonly condition?: { readonly type: string; readonly reason: string; readonly message: string };
  /** Of the Warning event. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The pod that takes its place. */
  readonly preemptor?: Pod;
  /** Gives up while the eviction still waits for its turn; what has begun goes on. */
  readonly signal?: AbortSignal;
  /** What the record of the eviction (`hooklet explain`) says beside who asked, for whom and why. */
  readonly decision?: Pick<Decision, "strategy" | "considered">;
}

export interface RestartRequest {
  /** Text of the `Killing` event. */
  readonly message: string;
  /** Seconds; undefined = the pod's own terminationGracePeriodSeconds. */
  readonly gracePeriodSeconds?: number;
  /** Leaves the request undone unless this is still the running container. */
  readonly containerId?: string;
}

export interface NodePort {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Directory for state files of the agent. */
  readonly rootDir: string;
  capacity(): Resources;
  allocatable(): Resources;
  /** What admission goes by: name, labels, taints, OS and allocatable. */
  facts(): NodeFacts;
  /** Declares an extended resource of the node (devices); undefined takes it away. */
  setExtendedResource(
    name: string,
    amount: { readonly capacity: number; readonly allocatable: number } | undefined,
  ): void;
}

/** The part of the runtime that plugins may use. */
export interface PluginRuntime {
  readonly name: string;
  containerStatus(id: string): Promise<ContainerStatus>;
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void>;
  listImages(): Promise<readonly Image[]>;
  removeImage(image: string): Promise<void>;
  imageFsInfo(): Promise<ImageFsInfo>;
  listContainerStats(): Promise<readonly ContainerStats[]>;
}

/** One state file of a plugin: written atomically, with a checksum. */
export interface Checkpoint {
  /** Undefined when there is none, or it was damaged: then it was set aside and an event tells so. */
  read(): Promise<Json | undefined>;
  write(value: Json): Promise<void>;
}

/** Names must start with the plugin's own prefix or be the kubelet's; a clash of two plugins is an error at start. */
export interface Metrics {
  counter(options: MetricOptions): {
    inc(labels?: Record<string, string>, by?: number): void;
    remove(labels: Record<string, string>): void;
  };
  gauge(options: MetricOptions): {
    set(value: number, labels?: Record<string, string>): void;
    remove(labels: Record<string, string>): void;
  };
  histogram(options: MetricOptions & { readonly buckets?: readonly number[] }): {
    observe(value: number, labels?: Record<string, string>): void;
    remove(labels: Record<string, string>): void;
  };
}

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** HTTP path it is shown on; default `/metrics`. */
  readonly path?: string;
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
  readonly events: EventRecorder;
  readonly decisions: DecisionRecorder;
  readonly metrics: Metrics;
  readonly log: Logger;
  checkpoint(name: string): Checkpoint;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

/** A table of strategies for one decision: name -> options schema and factory. The first entry is the default. */
export type StrategyTable<Strategy> = Readonly<Record<string, StrategyEntry<Strategy>>>;

export interface StrategyEntry<Strategy> {
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: each entry has options of its own, checked by its own schema
  readonly options: OptionsSchema<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  create(options: any): Strategy;
}

/** Gives a plugin its types; returns it unchanged. */
export function definePlugin<Options>(plugin: NodePlugin<Options>): NodePlugin<Options> {
  return plugin;
}
