/** Commands for scenarios. Each is imported when it is called. */
import { collect, type Perform, type Scenarios, sub } from "@hooklet/cli/extend";
import { type Command, Option } from "commander";
import type { SimulateOptions } from "./simulate.js";

export const scenarios: Scenarios = {
  declare(root, perform) {
    declareSimulate(root, perform);
  },
  check: async (context, files) => (await import("./check.js")).checkScenarios(context, files),
  explain: async (context, kind, name, options) =>
    (await import("./explain.js")).explainScenario(context, kind, name, options),
};

function declareSimulate(root: Command, perform: Perform): void {
  sub(
    root,
    "simulate",
    "Run a scenario in virtual time, with the real core and plugins; ends with 1 when something is not as expected.",
    "simulate examples/scenarios/probe-life.yaml",
    "simulate full-node.yaml -o jsonl",
    "simulate full-node.yaml --set plugins.preemption.victims=least-disruption",
  )
    .argument("<scenario>", "scenario file")
    .addOption(
      new Option("-o, --output <format>", "output format").choices(["table", "jsonl", "junit"]).default("table"),
    )
    .option("--until <time>", "end earlier than the scenario says")
    .option("--seed <n>", "another number gives pods other uids, and by that other start jitter", "0")
    .option("--config <file>", "rc file in place of the scenario's own configuration")
    .option("--set <path=value>", "an option over the configuration; may be given again", collect)
    .option(
      "--try-restarts",
      "run it again with the agent restarted at each event, and tell where that changes the end",
    )
    .action((file: string, options: SimulateOptions) =>
      perform(async (context) => (await import("./simulate.js")).simulateCommand(context, file, options)),
    );
}
