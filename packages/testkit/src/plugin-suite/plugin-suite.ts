import type { NodePlugin, PluginInstance, PluginRuntime, Pod } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import type { LoadedPlugin, SeamBinding } from "@hooklet/core/internal";
import { type SimulatedImage, type SimulatedImageFs, SimulatedRuntime, VirtualClock } from "@hooklet/sim";
import { aPod } from "../builders.js";
import { loadForTest } from "../load-for-test.js";
import { type LogLine, TestAgent } from "../test-agent/test-agent.js";

/** The description of a plugin for `describePlugin`. */
export interface PluginSuite<Options> {
  readonly plugin: NodePlugin<Options>;
  /** Options as in the rc file for the checks that need more than the defaults. */
  readonly options?: unknown;
  /** Options that must be refused, each with the field that the error must name (`a.b` for nested ones). Default: none but an unknown one. */
  readonly badOptions?: readonly { readonly name: string; readonly options: unknown; readonly field: string }[];
  /** Pods that the plugin has something to do with. Default: one plain pod. */
  readonly pods?: readonly Pod[];
  readonly images?: readonly SimulatedImage[];
  readonly imageFs?: SimulatedImageFs;
  /** What the plugin finds at its seams, made by `bindSeam`; default the real world. */
  readonly world?: readonly SeamBinding[];
  /** What the plugin must still know after a restart, as plain data to compare: the same before and after. Default: nothing. */
  remembered?(agent: TestAgent): unknown;
  /** Scripts the node: exec results, programs, stats. Called for each check's fresh node. */
  prepare?(runtime: SimulatedRuntime): void;
}

/** Long enough for every tick that the kubelet knows, with some to spare: milliseconds. */
export const A_WHILE = 12 * 60_000;

/** The plugin of a suite as the only one of an agent, on a fresh node. */
export class Subject<Options> {
  /** Names of the plugin's calls of `ctx.runtime`, in order. */
  readonly runtimeCalls: string[] = [];
  /** Whether every runtime call of the plugin is refused. Those of core for the pods go through. */
  isRefused = false;
  /** What the plugin's `start` returned; empty when that was nothing. */
  instance: PluginInstance = {};
  readonly #plugins: LoadedPlugin[] = [];
  #forgiven = 0;

  private constructor(
    readonly suite: PluginSuite<Options>,
    readonly pods: readonly Pod[],
    readonly agent: TestAgent,
    plugins: LoadedPlugin[],
  ) {
    this.#plugins = plugins;
  }

  /** A node without an agent yet. */
  static async make<Options>(suite: PluginSuite<Options>): Promise<Subject<Options>> {
    const { pods = [aPod()], images = [], imageFs = {}, world = [] } = suite;
    const clock = new VirtualClock();
    const runtime = new SimulatedRuntime({ clock, images, imageFs });
    suite.prepare?.(runtime);
    const plugins: LoadedPlugin[] = [];
    return new Subject(suite, pods, await TestAgent.make({ clock, runtime, plugins, world }), plugins);
  }

  /** Starts the agent with the plugin, or restarts it with the plugin. @throws PluginOptionsError */
  async start(options: unknown = this.suite.options): Promise<void> {
    const loaded = await loadForTest(this.suite.plugin, options);
    this.#plugins.push({ ...loaded, plugin: this.#watched(loaded.plugin) });
    await this.agent.restart();
  }

  /** The suite's pods come, and some time passes. */
  async run(): Promise<void> {
    for (const pod of this.pods) await this.agent.apply(pod);
    await this.agent.advance(A_WHILE);
  }

  /** The suite's pods go, and some time passes. */
  async terminate(): Promise<void> {
    for (const { metadata } of this.pods) await this.agent.delete(metadata.name, metadata.namespace);
    await this.agent.advance(A_WHILE);
  }

  /** What the agent reported of the plugin: taps that threw, hung or returned rubbish, a stop that failed. */
  get errors(): readonly LogLine[] {
    return this.#reported.slice(this.#forgiven);
  }

  /** Errors until now count no longer. */
  forgive(): void {
    this.#forgiven = this.#reported.length;
  }

  /** Not what the plugin itself logs as an error. */
  get #reported(): readonly LogLine[] {
    return this.agent.log.filter(({ level, plugin }) => level >= 50 && plugin === undefined);
  }

  #watched(plugin: NodePlugin): NodePlugin {
    return {
      ...plugin,
      start: (ctx, ...given) => {
        const instance = plugin.start({ ...ctx, runtime: this.#recorded(ctx.runtime) }, ...given) as PluginInstance;
        this.instance = instance ?? {};
        return instance;
      },
    };
  }

  #recorded(runtime: PluginRuntime): PluginRuntime {
    return new Proxy(runtime, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== "function" || key === "heldImages") return member;
        return (...args: readonly unknown[]) => {
          this.runtimeCalls.push(String(key));
          if (this.isRefused) return Promise.reject(new RuntimeError("unavailable", "the test refuses every call"));
          return Reflect.apply(member, target, args);
        };
      },
    });
  }
}
