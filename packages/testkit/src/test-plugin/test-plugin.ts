import { join } from "node:path";
import type {
  AdmissionVerdict,
  Decision,
  NodePlugin,
  NodePort,
  PluginInstance,
  Pod,
  TerminationCause,
} from "@hooklet/core";
import {
  createGuardedHooks,
  type GuardedHooks,
  ImageLeases,
  type LoadedPlugin,
  type NodePorts,
  PluginHost,
  ProviderRegistry,
  removeTree,
  Ticks,
} from "@hooklet/core/host";
import { during } from "../during.js";
import type { SimulatedHost } from "../host/simulated-host.js";
import type { SimulatedRuntime } from "../simulated-runtime.js";
import type { VirtualClock } from "../virtual-clock.js";
import { hostPorts, type PluginRecords, pluginRuntime } from "./host-ports.js";
import type { TestObjects } from "./objects.js";
import type { PodRequest, RecordedEvent } from "./records.js";
import type { TestPods } from "./test-pods.js";

export interface TestPluginParts {
  readonly loaded: LoadedPlugin;
  readonly clock: VirtualClock;
  readonly runtime: SimulatedRuntime;
  readonly pods: TestPods;
  readonly rootDir: string;
  readonly nodePorts: NodePorts;
  readonly host: SimulatedHost;
  readonly records: PluginRecords;
}

/** A plugin under test; `startTestPlugin` makes it. */
export class TestPlugin {
  /** What the guard and the host caught: taps that threw, hung or returned rubbish, a stop that failed. */
  readonly errors: Error[] = [];
  /** Names of the calls that the plugin made of `ctx.runtime`, in order. */
  readonly runtimeCalls: string[] = [];
  readonly #parts: TestPluginParts;
  readonly #guard: GuardedHooks;
  readonly #host: PluginHost;
  readonly #ticks: Ticks;
  readonly #captured: { instance?: PluginInstance } = {};
  readonly #leases = new ImageLeases();
  #broken = false;

  constructor(parts: TestPluginParts) {
    const { clock, runtime, pods, records } = parts;
    const onError = (error: Error): void => void this.errors.push(error);
    this.#parts = parts;
    this.#guard = createGuardedHooks({ clock, onError });
    const { host, rootDir } = parts;
    const podLogsDir = join(rootDir, "logs");
    const ports = { runtime, leases: this.#leases, host, clock, rootDir, podLogsDir };
    const narrow = pluginRuntime(ports, () => this.#broken, this.runtimeCalls);
    this.#host = new PluginHost(
      hostPorts(
        {
          ...parts,
          node: (plugin) => parts.nodePorts.port(plugin),
          pods,
          guard: this.#guard,
          runtime: narrow,
          onError,
        },
        records,
      ),
    );
    this.#ticks = new Ticks(this.#guard.hooks, clock, (_, error) => onError(error as Error));
  }

  get clock(): VirtualClock {
    return this.#parts.clock;
  }

  get runtime(): SimulatedRuntime {
    return this.#parts.runtime;
  }

  get pods(): TestPods {
    return this.#parts.pods;
  }

  get host(): SimulatedHost {
    return this.#parts.host;
  }

  /** The node as another plugin, named `test`, sees it: it may set conditions, provide statistics, ask for reclaim. */
  get node(): NodePort {
    return this.#parts.nodePorts.port("test");
  }

  get events(): readonly RecordedEvent[] {
    return this.#parts.records.events;
  }

  get decisions(): readonly Decision[] {
    return this.#parts.records.decisions;
  }

  /** What pods take from the API. */
  get objects(): TestObjects {
    return this.#parts.records.objects;
  }

  /** What the plugin provides for pods. */
  get providers(): PluginRecords["providers"] {
    return this.#parts.records.providers;
  }

  /** What the plugin asked of pods: evictions, readiness, restarts. */
  get requests(): readonly PodRequest[] {
    return this.pods.requests;
  }

  /** What the plugin's `start` returned; empty when that was nothing. */
  get instance(): PluginInstance {
    return this.#captured.instance ?? {};
  }

  /** For `startTestPlugin`: starts the plugin beside the pods that run. */
  async start(): Promise<void> {
    const { loaded, pods } = this.#parts;
    const { plugin } = loaded;
    await this.during(this.#host.start([{ ...loaded, plugin: capturing(plugin, this.#captured) }]));
    await this.during(this.#host.open(await pods.view()));
    pods.connect(this.#guard.hooks);
    this.#ticks.start();
  }

  /** Admits and starts a pod through the plugin's taps. */
  run(pod: Pod): Promise<AdmissionVerdict> {
    return this.during(this.pods.run(pod));
  }

  /** Terminates a pod through the plugin's taps. */
  terminate(pod: Pod, cause: TerminationCause = { kind: "deleted" }): Promise<void> {
    return this.during(this.pods.terminate(pod.metadata.uid, cause));
  }

  /** The rows of one of the plugin's views. */
  async view(name: string) {
    return (await this.during(this.#host.view(name))).rows;
  }

  /** From now on every runtime call of the plugin is refused, or goes through again. Pods are not touched by it. */
  breakRuntime(broken: boolean): void {
    this.#broken = broken;
  }

  /** Holds an image as a pull or a starting container does, until what it returns is called. */
  holdImage(name: string): Promise<() => void> {
    return this.during(this.#leases.hold(name));
  }

  advance(milliseconds: number): Promise<void> {
    return this.clock.advance(milliseconds);
  }

  /** The outcome of `work`, with virtual time passing where it needs some. */
  during<T>(work: Promise<T>): Promise<T> {
    return during(this.clock, "A call of the plugin", work);
  }

  /** Stops the plugin as the agent does. Pods run on. May be called twice. */
  async stop(): Promise<void> {
    this.#ticks.stop();
    this.pods.disconnect();
    await this.during(this.#host.stop());
    await removeTree(this.#parts.rootDir);
  }

  /** Stops the plugin and starts it anew beside the same pods, with the checkpoints that it wrote. */
  async restart(): Promise<TestPlugin> {
    await this.stop();
    this.#parts.records.providers = new ProviderRegistry();
    const next = new TestPlugin(this.#parts);
    await next.start();
    return next;
  }
}

/** The plugin itself, but what its `start` returns is also put into `captured`. */
function capturing(plugin: NodePlugin, captured: { instance?: PluginInstance }): NodePlugin {
  return {
    ...plugin,
    start: (context, options) => {
      const instance = plugin.start(context, options) as PluginInstance | undefined;
      if (instance !== undefined) captured.instance = instance;
      return instance;
    },
  };
}
