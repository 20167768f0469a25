import type { NodePlugin, Pod } from "@hooklet/core";
import { afterEach } from "@jest/globals";
import { TestAgent, type TestAgentParts } from "./test-agent/test-agent.js";
import { loadForTest } from "./test-plugin/options.js";

/** A plugin, alone or with its options as the rc file has them. */
// biome-ignore lint/suspicious/noExplicitAny: plugins of any options stand side by side, each checked by its own schema
export type PluginEntry = NodePlugin<any> | readonly [plugin: NodePlugin<any>, options: unknown];

export interface TestAgentOptions extends Omit<TestAgentParts, "plugins"> {
  readonly plugins?: readonly PluginEntry[];
  /** Applied before the agent starts: ready pods or manifests. */
  readonly pods?: readonly (Pod | string)[];
  /** True: the agent outlives the test that starts it (for `beforeAll`), and must be stopped by hand. */
  readonly keep?: boolean;
}

const running = new Set<TestAgent>();

// Hooks cannot be registered within a test, so this stands at the import.
afterEach(async () => {
  const agents = [...running];
  running.clear();
  for (const agent of agents) await agent.stop();
});

/**
 * Boots the whole core with the plugins on a simulated node in virtual time. It stops by itself after the test.
 * @throws PluginOptionsError when options are refused
 * @throws NodeAgentError when the agent cannot start
 */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { plugins: entries = [], pods = [], keep = false, ...parts } = options;
  const plugins = [];
  for (const entry of entries) {
    const [plugin, raw] = "start" in entry ? [entry, undefined] : entry;
    plugins.push(await loadForTest(plugin, raw));
  }
  const agent = await TestAgent.make({ ...parts, plugins });
  if (!keep) running.add(agent);
  for (const pod of pods) await agent.apply(pod);
  await agent.start();
  return agent;
}
