/** What is wrong with a scenario, all of it at once. */

import { type ConfigFault, faultText } from "@hooklet/config";
import { NodeAgentError } from "@hooklet/core";

/** Nothing was run. */
export class ScenarioFaultsError extends NodeAgentError {
  constructor(readonly faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    const shown = faults.slice(0, MAX_SHOWN).map((fault) => `\n  ${faultText(fault)}`);
    const more = faults.length > MAX_SHOWN ? `\n  and ${faults.length - MAX_SHOWN} more` : "";
    super("INVALID", `The scenario has ${count}; nothing was run.${shown.join("")}${more}`);
  }
}

const MAX_SHOWN = 100;
