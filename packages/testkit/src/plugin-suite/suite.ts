import type { NodePlugin, Pod } from "@hooklet/core";
import { aPod } from "../builders.js";
import type { SimulatedImage, SimulatedImageFs } from "../simulated/images.js";
import { SimulatedRuntime } from "../simulated-runtime.js";
import { startTestPlugin, type TestPluginOptions } from "../start-test-plugin.js";
import type { TestPlugin } from "../test-plugin/test-plugin.js";
import { VirtualClock } from "../virtual-clock.js";

/** What `describePlugin` needs to know of a plugin. */
export interface PluginSuite<Options> {
  readonly plugin: NodePlugin<Options>;
  /** Options as in the rc file for the checks that need more than the defaults. */
  readonly options?: unknown;
  /** Options that must be refused, each with the field that the error must name (`a.b` for nested ones). */
  readonly badOptions: readonly { readonly name: string; readonly options: unknown; readonly field: string }[];
  /** Pods that the plugin has something to do with. Default: one plain pod. */
  readonly pods?: readonly Pod[];
  readonly images?: readonly SimulatedImage[];
  readonly imageFs?: SimulatedImageFs;
  /** What the plugin must still know after a restart, as plain data to compare: the same before and after. Default: nothing. */
  remembered?(plugin: TestPlugin): unknown;
  /** Scripts the node: exec results, programs, stats. Called for each check's fresh node. */
  prepare?(runtime: SimulatedRuntime): void;
}

/** Long enough for every tick that the kubelet knows, with some to spare: milliseconds. */
export const A_WHILE = 12 * 60_000;

/** The plugin of a suite, ready to be started again and again, each time on a fresh node. */
export class Subject<Options> {
  readonly pods: readonly Pod[];

  constructor(readonly suite: PluginSuite<Options>) {
    this.pods = suite.pods ?? [aPod()];
  }

  start(more: Partial<TestPluginOptions<Options>> = {}): Promise<TestPlugin> {
    const { plugin, options, images = [], imageFs = {}, prepare } = this.suite;
    const clock = new VirtualClock();
    const runtime = new SimulatedRuntime({ clock, images, imageFs });
    prepare?.(runtime);
    return startTestPlugin({ plugin, options, clock, runtime, ...more });
  }

  /** The same with the suite's pods running, and some time past. */
  async busy(): Promise<TestPlugin> {
    const plugin = await this.start();
    for (const pod of this.pods) await plugin.run(pod);
    await plugin.advance(A_WHILE);
    return plugin;
  }

  /** The whole life of the suite's pods beside the plugin. */
  async live(plugin: TestPlugin): Promise<void> {
    for (const pod of this.pods) await plugin.run(pod);
    await plugin.advance(A_WHILE);
    for (const pod of this.pods) await plugin.terminate(pod);
    await plugin.advance(A_WHILE);
  }
}
