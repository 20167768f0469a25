/** Commands for scenarios. Each is imported when it is called. */
import { type Context, collect, outputOption, type Perform, type Scenarios, sub } from "@hooklet/cli/extend";
import type { AgentConfig } from "@hooklet/core/host";
import { type Command, Option } from "commander";
import type { BinaryHost, ScenarioContext } from "./options.js";
import type { CompareOptions, Runs } from "./outcome.js";
import type { RecordOptions } from "./record.js";
import type { SimulateOptions } from "./simulate.js";

type ScenarioPerform = (work: (context: ScenarioContext) => Promise<number>) => Promise<void>;

export type { SimulationHost } from "../config/scenario-config.js";
export type { RunAgain, Runs } from "./outcome.js";

/** What the command line knows of scenarios, for the plugins and runtimes of this host. */
export interface ScenarioCommands extends Scenarios {
  /** Adds the commands that only scenarios have. */
  declare(root: Command, perform: Perform): void;
  /** `hooklet check SCENARIO...`; gives the exit code. */
  check(context: Context, files: readonly string[]): Promise<number>;
  /** Runs of a scenario, one after the other: what comes of it, and what has changed. `prepares`: another run follows each. */
  runs(context: Context, file: string, prepares: boolean): Promise<Runs>;
  /** Starts the configuration's plugins on a simulated node. @throws NodeAgentError PLUGIN_START naming the one that fails */
  tryPlugins(config: AgentConfig): Promise<void>;
}

export function scenarios(host: BinaryHost): ScenarioCommands {
  return {
    declare(root, given) {
      const perform = interruptible((work) => given((context) => work({ ...context, host })));
      declareSimulate(root, perform);
      declareCompare(root, perform);
      declareRecord(root, perform);
    },
    check: async (context, files) => (await import("./in-scenario.js")).checkScenarios({ ...context, host }, files),
    runs: async (context, file, prepares) =>
      (await import("./outcome.js")).runsOf({ ...context, host }, file, prepares),
    tryPlugins: async (config) => (await import("./in-scenario.js")).tryPlugins(config),
    explain: async (context, kind, name, options) =>
      (await import("./in-scenario.js")).explainScenario({ ...context, host }, kind, name, options),
    plan: async (context, question, within) =>
      (await import("./in-scenario.js")).planInScenario({ ...context, host }, question, within),
  };
}

/** A signal ends the process in the ordinary way, so that what runs left on disk goes too. */
function interruptible(perform: ScenarioPerform): ScenarioPerform {
  return (work) =>
    perform(async (context) => {
      const { io } = context;
      const ends = [io.onSignal("SIGINT", () => io.exit(130)), io.onSignal("SIGTERM", () => io.exit(143))];
      try {
        return await work(context);
      } finally {
        for (const end of ends) end();
      }
    });
}

function declareSimulate(root: Command, perform: ScenarioPerform): void {
  sub(
    root,
    "simulate",
    "Run a scenario in virtual time, with the real core and plugins. Exit code 1 if an expectation fails.",
    "simulate examples/scenarios/probe-life.yaml",
    "simulate full-node.yaml --events",
    "simulate full-node.yaml -o jsonl",
    "simulate full-node.yaml --set plugins.preemption.victims=least-disruption",
  )
    .argument("<scenario>", "scenario file")
    .addOption(
      new Option("-o, --output <format>", "output format").choices(["table", "jsonl", "junit"]).default("table"),
    )
    .option("--events", "show every event, decision and phase, not only the outcome")
    .option("--until <time>", "end at this time, before the scenario's end")
    .option("--seed <n>", "seed for the UIDs of pods, which also determine the random delay of each start", "0")
    .option("--config <file>", "rc file that replaces the scenario's configuration")
    .option(
      "--set <path=value>",
      "an option that overrides the configuration; paths are relative to the scenario; may be given again",
      collect,
    )
    .option("--report <file.html>", "write a page with pods, probes, devices, disk and memory over time")
    .option("--try-restarts", "also run it with an agent restart at each event, and report runs that end differently")
    .action((file: string, options: SimulateOptions) =>
      perform(async (context) => (await import("./simulate.js")).simulateCommand(context, file, options)),
    );
}

function declareCompare(root: Command, perform: ScenarioPerform): void {
  sub(
    root,
    "compare",
    "Run scenarios with several configurations; print the differences, and where they begin.",
    "compare disk.yaml --set plugins.imagegc.order=lru --set plugins.imagegc.order=largest-first",
    "compare examples/scenarios --with a.hookletrc.yaml --with b.hookletrc.yaml",
    "compare disk.yaml --sweep plugins.imagegc.imageGCHighThresholdPercent=70..95:5 --minimise pulls",
  )
    .argument("<scenarios...>", "scenario files, or directories of them")
    .option("--with <rcfile>", "rc file that replaces the scenario's configuration; may be given again", collect)
    .option(
      "--set <path=value>",
      "set an option in every run; the same PATH again, with another value, adds a run",
      collect,
    )
    .option(
      "--sweep <path=range>",
      "run with each value of FROM..TO:STEP (70..95:5, 1m..10m:3m, 1Gi..4Gi:1Gi), or A,B,C",
    )
    .option(
      "--minimise <figure>",
      "with --sweep: find the value with the lowest figure, for example evicted, restarts, pulls, bytes-removed or ready-p99; any other word prints the list of figures",
    )
    .option("--maximise <figure>", "with --sweep: find the value with the highest figure")
    .option("--report <file.html>", "write a page with the runs side by side")
    .option("--until <time>", "end at this time, before the scenarios' end")
    .option("--seed <n>", "seed for the UIDs of pods", "0")
    .addOption(outputOption("json"))
    .action((files: string[], options: CompareOptions) =>
      perform(async (context) => (await import("./compare.js")).compare(context, files, options)),
    );
}

function declareRecord(root: Command, perform: ScenarioPerform): void {
  sub(
    root,
    "record",
    "Write a scenario of a node as it is now, without secrets. Changes nothing on the node.",
    "record > node.yaml",
    "record --kubelet http://localhost:8001/api/v1/nodes/worker-1/proxy --from-files node.json",
    "record --from-files pods.json,node.json,images.json --output-file node.yaml",
    "record --from-trace day.csv --output-file day.yaml",
  )
    .option(
      "--kubelet <url>",
      "read /pods, /configz and /stats/summary of a kubelet, directly or through kubectl proxy, instead of the agent",
    )
    .option(
      "--from-files <files>",
      "read JSON files, also to complete --kubelet: kubectl get pods|node, /configz, /stats/summary, crictl images",
    )
    .option("--checkpoint <file>", "device manager's checkpoint (kubelet_internal_checkpoint)")
    .option("--images <file>", "output of crictl images -o json")
    .option("--from-trace <file>", "write a scenario that runs a workload trace; the scenario names this CSV file")
    .option("--with-env", "keep values of environment variables, commands and arguments, which may be secrets")
    .option("--output-file <file>", "file to write (default: standard output)")
    .action((options: RecordOptions) =>
      perform(async (context) => (await import("./record.js")).record(context, options)),
    );
}
