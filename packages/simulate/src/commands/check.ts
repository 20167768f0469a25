/** `hooklet check SCENARIO...`. */
import { resolve } from "node:path";
import { printLine, tell } from "@hooklet/cli/extend";
import { errorText } from "@hooklet/core";
import { scenarioConfig } from "../config/config.js";
import { readScenario } from "../scenario/read.js";
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
