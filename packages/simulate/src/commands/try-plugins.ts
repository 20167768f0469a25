/** `hooklet check`: starts the plugins of a configuration on a simulated node, and stops them again. */
import { availableParallelism, totalmem } from "node:os";
import type { AgentConfig } from "@hooklet/core/host";
import { ScenarioNode } from "../run/node.js";
import { parseScenario } from "../scenario/read.js";

/**
 * What a `start` or `open` throws is known before the node is there. The machine is as large as this one, for what the configuration
 * keeps for the system has to fit; nothing of it is touched.
 * @throws NodeAgentError PLUGIN_START naming the plugin
 */
export async function tryPlugins(config: AgentConfig): Promise<void> {
  const node = { cpu: String(availableParallelism()), memory: String(totalmem()), pods: config.node.maxPods };
  const scenario = await parseScenario(JSON.stringify({ node, timeline: [], until: "1s" }), "hooklet check");
  const tried = new ScenarioNode({ scenario, config, seed: 0 });
  try {
    await tried.start();
  } finally {
    await tried.stop();
  }
}
