/** `check`, `explain` and `plan` with a scenario in place of an agent, and plugins that `check` tries on a simulated node. */

import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import {
  decisionsText,
  type ExplainScenario,
  type PlanQuestion,
  printLine,
  tell,
  type WithinScenario,
} from "@hooklet/cli/extend";
import { type Decision, errorText } from "@hooklet/core";
import type { AgentConfig } from "@hooklet/core/host";
import { scenarioConfig } from "../config/scenario-config.js";
import { clockText } from "../print/clock-text.js";
import { ScenarioNode } from "../run/scenario-node.js";
import { parseScenario, readScenario } from "../scenario/read.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext, timeOf } from "./options.js";
import { Waiting } from "./waiting.js";

// `hooklet check SCENARIO...`.

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

// `--scenario S --at T`: questions to a node in the middle of a run.

/** `hooklet explain KIND NAME --scenario S --at T`. */
export async function explainScenario(
  context: ScenarioContext,
  kind: string,
  name: string,
  { scenario, at, output }: ExplainScenario,
): Promise<number> {
  const { io } = context;
  const job = {
    ...(await jobOf(context, resolve(io.cwd(), scenario), {})),
    explain: { kind, name },
    ...(at === undefined ? {} : { until: timeOf("--at", at) }),
  };
  const { explained = [], until } = await new Waiting(context, [scenario]).during(run(job, "none"));
  if (output === "json") await printLine(io.stdout, JSON.stringify(explained, null, 2));
  else if (explained.length === 0) {
    await tell(io, `No decisions about ${kind} ${name} until ${clockText(until)} of ${scenario}.`);
  } else await printLine(io.stdout, decisionsText(explained as readonly Decision[]));
  return 0;
}

/** `hooklet plan PLUGIN --scenario S --at T`. */
export async function planInScenario(
  context: ScenarioContext,
  plan: PlanQuestion,
  { scenario, at }: WithinScenario,
): Promise<readonly Decision[]> {
  const job = {
    ...(await jobOf(context, resolve(context.io.cwd(), scenario), {})),
    plan,
    ...(at === undefined ? {} : { until: timeOf("--at", at) }),
  };
  const { planned = [] } = await new Waiting(context, [scenario]).during(run(job, "none"));
  return planned;
}
