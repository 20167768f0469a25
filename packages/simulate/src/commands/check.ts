/** `hooklet check SCENARIO...`. */

import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import { printLine, tell } from "@hooklet/cli/extend";
import { errorText } from "@hooklet/core";
import type { AgentConfig } from "@hooklet/core/host";
import { scenarioConfig } from "../config/scenario-config.js";
import { ScenarioNode } from "../run/scenario-node.js";
import { parseScenario, readScenario } from "../scenario/read.js";
import type { ScenarioContext } from "./options.js";

/** 1 when one of them has faults; all are checked. */
export async function checkScenarios({ io, host }: ScenarioContext, files: readonly string[]): Promise<number> {
  let code = 0;
  for (const file of files) {
    try {
      const scenario = await readScenario(resolve(io.cwd(), file));
      await scenarioConfig(scenario, host);
      const { timeline, expect } = scenario.spec;
      await printLine(io.stdout, `${file}: well formed: ${timeline.length} steps, ${expect.length} expectations`);
    } catch (error) {
      await tell(io, errorText(error));
      code = 1;
    }
  }
  return code;
}

// `hooklet check`: starts the plugins of a configuration on a simulated node, and stops them again.

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
