/** Scenarios of a node in virtual time, as the command line knows them: a package above this one brings them. */

import type { Decision } from "@hooklet/core";
import { unsupported } from "@hooklet/utils";
import type { Context } from "./context.js";

/** A moment of a scenario. */
export interface WithinScenario {
  readonly scenario: string;
  /** Left out: at its end. */
  readonly at?: string;
}

export interface ExplainScenario extends WithinScenario {
  readonly output?: "json";
}

/** What `hooklet plan` asks. */
export interface PlanQuestion {
  readonly plugin: string;
  /** YAML or JSON of a pod. */
  readonly manifest?: string;
  readonly arguments: Readonly<Record<string, string>>;
}

export interface Scenarios {
  /** `hooklet explain KIND NAME --scenario S --at T`. */
  explain(context: Context, kind: string, name: string, options: ExplainScenario): Promise<number>;
  /** `hooklet plan PLUGIN --scenario S --at T`. @throws NodeAgentError as the plugin does */
  plan(context: Context, question: PlanQuestion, within: WithinScenario): Promise<readonly Decision[]>;
}

/** @throws NodeAgentError UNSUPPORTED in a build without scenarios */
export function known(scenarios: Scenarios | undefined): Scenarios {
  if (scenarios === undefined) throw unsupported("this build knows no scenarios", "Use the package hooklet.");
  return scenarios;
}
