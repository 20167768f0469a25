/** `hooklet explain KIND NAME --scenario S --at T`, and `hooklet plan PLUGIN --scenario S --at T`. */
import { resolve } from "node:path";
import { type Context, decisionsText, type ExplainScenario, printLine, type ScenarioMoment } from "@hooklet/cli/extend";
import type { Decision } from "@hooklet/core";
import type { Job } from "../apart/job.js";
import { run } from "../apart/run-apart.js";
import { clockText } from "../print/clock-text.js";
import { jobOf, timeOf } from "./options.js";

export async function explainScenario(
  context: Context,
  kind: string,
  name: string,
  { scenario, at, output }: ExplainScenario,
): Promise<number> {
  const { io } = context;
  const { explained = [], until } = await run(
    { ...jobAt(context, { scenario, ...(at !== undefined && { at }) }), explain: { kind, name } },
    "none",
  );
  if (output === "json") await printLine(io.stdout, JSON.stringify(explained, null, 2));
  else if (explained.length === 0) {
    await printLine(io.stderr, `No decisions about ${kind} ${name} until ${clockText(until)} of ${scenario}.`);
  } else await printLine(io.stdout, decisionsText(explained as readonly Decision[]));
  return 0;
}

export async function planInScenario(
  context: Context,
  moment: ScenarioMoment,
  plan: NonNullable<Job["plan"]>,
): Promise<readonly Decision[]> {
  const { planned = [] } = await run({ ...jobAt(context, moment), plan }, "none");
  return planned;
}

function jobAt(context: Context, { scenario, at }: ScenarioMoment): Omit<Job, "rootDir"> {
  return {
    ...jobOf(context, resolve(context.io.cwd(), scenario), {}),
    ...(at === undefined ? {} : { until: timeOf("--at", at) }),
  };
}
