import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodePlugin, Pod } from "@hooklet/core";
import { type LoadedPlugin, removeTree, requireOneCore } from "@hooklet/core/host";
import { SimulatedHost } from "./host/simulated-host.js";
import { SimulatedRuntime } from "./simulated-runtime.js";
import { type TestNodeOptions, testNodePorts } from "./test-node.js";
import { PluginRecords } from "./test-plugin/host-ports.js";
import { loadForTest } from "./test-plugin/options.js";
import { TestPlugin } from "./test-plugin/test-plugin.js";
import { TestPods } from "./test-plugin/test-pods.js";
import { VirtualClock } from "./virtual-clock.js";

export interface TestPluginOptions<Options> {
  readonly plugin: NodePlugin<Options>;
  /** As the rc file has them. */
  readonly options?: unknown;
  /** Pods that run before the plugin starts. */
  readonly pods?: readonly Pod[];
  readonly clock?: VirtualClock;
  readonly runtime?: SimulatedRuntime;
  /** Default: 4 processors, 8 GiB, cgroups v2. */
  readonly host?: SimulatedHost;
  /** What differs from node1 with 4 cores, 8 GiB, 100 GiB of disk and 110 pods. */
  readonly node?: TestNodeOptions;
}

/**
 * One plugin alone, on the real hooks and in the real plugin host, with a simulated runtime and virtual time. For a
 * test with the whole agent see `startTestAgent`. Stop it at the end of the test.
 * @throws NodeAgentError SEVERAL_CORES
 * @throws PluginOptionsError when the options are refused
 * @throws NodeAgentError PLUGIN_START when the plugin cannot start
 */
export async function startTestPlugin<Options>(given: TestPluginOptions<Options>): Promise<TestPlugin> {
  requireOneCore();
  const loaded: LoadedPlugin = await loadForTest(given.plugin, given.options);
  const clock = given.clock ?? new VirtualClock();
  const runtime = given.runtime ?? new SimulatedRuntime({ clock });
  const host = given.host ?? new SimulatedHost({ clock });
  const rootDir = await mkdtemp(join(tmpdir(), "hooklet-plugin-"));
  try {
    await runtime.start();
    const pods = new TestPods(runtime);
    const nodePorts = testNodePorts(given.node ?? {}, rootDir, clock);
    const test = new TestPlugin({
      loaded,
      clock,
      runtime,
      pods,
      rootDir,
      nodePorts,
      host,
      records: new PluginRecords(),
    });
    for (const pod of given.pods ?? []) await test.during(pods.run(pod));
    await test.start();
    return test;
  } catch (error) {
    await removeTree(rootDir);
    throw error;
  }
}
