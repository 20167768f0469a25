/** Commands for scenarios. Each is imported when it is called. */
import { collect, outputOption, type Perform, type Scenarios, sub } from "@hooklet/cli/extend";
import { type Command, Option } from "commander";
import type { CompareOptions } from "./compare.js";
import type { SimulateOptions } from "./simulate.js";

export const scenarios: Scenarios = {
  declare(root, perform) {
    declareSimulate(root, perform);
    declareCompare(root, perform);
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

function declareCompare(root: Command, perform: Perform): void {
  sub(
    root,
    "compare",
    "Run scenarios with several configurations; print what differs, and where they part.",
    "compare disk.yaml --set plugins.imagegc.order=lru --set plugins.imagegc.order=largest-first",
    "compare examples/scenarios --with a.hookletrc.yaml --with b.hookletrc.yaml",
    "compare disk.yaml --sweep plugins.imagegc.imageGCHighThresholdPercent=70..95:5 --minimise pulls",
  )
    .argument("<scenarios...>", "scenario files, or folders of them")
    .option("--with <rcfile>", "a configuration in place of the scenario's own; may be given again", collect)
    .option("--set <path=value>", "an option; given again with another value it is compared", collect)
    .option("--sweep <path=range>", "run with each value of FROM..TO:STEP, or of A,B,C")
    .option("--minimise <figure>", "with --sweep: the best value has the least of this figure")
    .option("--maximise <figure>", "with --sweep: the best value has the most of this figure")
    .option("--until <time>", "end earlier than the scenarios say")
    .option("--seed <n>", "another number gives pods other uids", "0")
    .addOption(outputOption("json"))
    .action((files: string[], options: CompareOptions) =>
      perform(async (context) => (await import("./compare.js")).compare(context, files, options)),
    );
}
