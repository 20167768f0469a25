/** Scenarios of a node in virtual time, as the command line knows them: a package above this one brings them. */
import { unsupported } from "@hooklet/core/base";
import type { Command } from "commander";
import type { Context } from "./context.js";
import type { Perform } from "./declare/parts.js";
import type { CliHost } from "./io.js";

export interface ExplainScenario {
  readonly scenario: string;
  /** Left out: at its end. */
  readonly at?: string;
  readonly output?: "json";
}

export interface Scenarios {
  /** Adds the commands that only scenarios have. */
  declare(root: Command, perform: Perform): void;
  /** `hooklet check SCENARIO...`; gives the exit code. */
  check(context: Context, files: readonly string[]): Promise<number>;
  /** `hooklet explain KIND NAME --scenario S --at T`. */
  explain(context: Context, kind: string, name: string, options: ExplainScenario): Promise<number>;
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
