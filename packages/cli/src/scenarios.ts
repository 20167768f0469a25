/** Scenarios of a node in virtual time, as the command line knows them: a package above this one brings them. */

import type { Decision } from "@hooklet/core";
import { unsupported } from "@hooklet/core/base";
import type { AgentConfig } from "@hooklet/core/host";
import type { Command } from "commander";
import type { Context } from "./context.js";
import type { Perform } from "./declare/parts.js";
import type { CliHost } from "./io.js";

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
  /** Adds the commands that only scenarios have. */
  declare(root: Command, perform: Perform): void;
  /** `hooklet check SCENARIO...`; gives the exit code. */
  check(context: Context, files: readonly string[]): Promise<number>;
  /** Starts the configuration's plugins on a simulated node. @throws NodeAgentError PLUGIN_START naming the one that fails */
  tryPlugins(config: AgentConfig): Promise<void>;
  /** `hooklet explain KIND NAME --scenario S --at T`. */
  explain(context: Context, kind: string, name: string, options: ExplainScenario): Promise<number>;
  /** `hooklet plan PLUGIN --scenario S --at T`. @throws NodeAgentError as the plugin does */
  plan(context: Context, question: PlanQuestion, within: WithinScenario): Promise<readonly Decision[]>;
}

/** Who runs the CLI, with what knows scenarios; without it there are no such commands. */
export interface ScenarioHost extends CliHost {
  readonly scenarios?: Scenarios;
}

/** @throws NodeAgentError UNSUPPORTED in a build without scenarios */
export function known(scenarios: Scenarios | undefined): Scenarios {
  if (scenarios === undefined) throw unsupported("this build knows no scenarios", "Use the package hooklet.");
  return scenarios;
}
