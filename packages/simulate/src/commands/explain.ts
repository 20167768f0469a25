/** `hooklet explain KIND NAME --scenario S --at T`. */
import { resolve } from "node:path";
import { decisionsText, type ExplainScenario, printLine, tell } from "@hooklet/cli/extend";
import type { Decision } from "@hooklet/core";
import { clockText } from "../print/clock-text.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext, timeOf } from "./options.js";
import { Waiting } from "./waiting.js";

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
