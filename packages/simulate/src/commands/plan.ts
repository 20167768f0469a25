/** `hooklet plan PLUGIN --scenario S --at T`. */
import { resolve } from "node:path";
import type { PlanQuestion, WithinScenario } from "@hooklet/cli/extend";
import type { Decision } from "@hooklet/core";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext, timeOf } from "./options.js";
import { Waiting } from "./waiting.js";

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
