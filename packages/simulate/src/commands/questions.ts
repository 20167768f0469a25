/** `--scenario S --at T`: questions to a node in the middle of a run. */

import { resolve } from "node:path";
import {
  decisionsText,
  type ExplainScenario,
  type PlanQuestion,
  printLine,
  tell,
  type WithinScenario,
} from "@hooklet/cli/extend";
import type { Decision } from "@hooklet/core";
import { clockText } from "../print/clock-text.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext, timeOf } from "./options.js";
import { Waiting } from "./waiting.js";

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
