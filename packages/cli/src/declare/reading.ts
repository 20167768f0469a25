/** Commands that change nothing. */
import { invalid } from "@hooklet/utils";
import { type Command, Option } from "commander";
import type { DescribeOptions } from "../commands/describe.js";
import type { ExplainOptions } from "../commands/explain.js";
import type { EventsOptions, GetOptions } from "../commands/get/resources.js";
import type { LogsOptions } from "../commands/logs.js";
import type { PlanOptions } from "../commands/plan.js";
import type { TopCommandOptions } from "../commands/top.js";
import type { WaitOptions } from "../commands/wait.js";
import { type ExplainScenario, known, type Scenarios } from "../scenarios.js";
import {
  containerOption,
  formatOption,
  namespaceOption,
  outputOption,
  type Perform,
  selectorOption,
  sub,
} from "./parts.js";

export function declareReading(root: Command, perform: Perform, scenarios: Scenarios | undefined): void {
  root.commandsGroup("See what runs:");
  sub(
    root,
    "get",
    "Show pods, node, plugins, images, events, or a table that a plugin offers.",
    "get pods",
    "get pods -A -o wide",
    "get pod web -o json",
    "get pods -w -l app=web",
    "get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image",
    "get plugins",
    "get eviction",
  )
    .argument(
      "<kind>",
      "pods, node, plugins, images, events or a plugin's table, such as eviction or probes; any other word prints the list of kinds",
    )
    .argument("[names...]", "names of pods")
    .addOption(formatOption())
    .addOption(namespaceOption())
    .option("-A, --all-namespaces", "show all namespaces")
    .addOption(selectorOption())
    .option("--field-selector <fields>", "show only objects with these fields: status.phase!=Running,metadata.name=web")
    .option("--show-labels", "add a column with the labels of pods")
    .option("-w, --watch", "watch for changes")
    .option("--watch-only", "watch for changes, without the current state")
    .option("--no-headers", "omit the header row")
    .action((kind: string, names: string[], options: GetOptions) =>
      perform(async (context) => (await import("../commands/get.js")).get(context, kind, names, options)),
    );

  sub(
    root,
    "top",
    "Show the cpu and memory that pods or the node use now.",
    "top pods",
    "top pods -A --containers --sort-by memory",
    "top pods -l app=web",
    "top node",
  )
    .argument("<kind>", "pods or node")
    .argument("[names...]", "names of pods")
    .addOption(namespaceOption())
    .option("-A, --all-namespaces", "pods of all namespaces")
    .option("--containers", "show each container")
    .addOption(selectorOption())
    .addOption(new Option("--sort-by <column>", "highest first (default: by name)").choices(["cpu", "memory"]))
    .option("--sum", "add a line with the sums")
    .option("--show-capacity", "show percentages of the node's capacity instead of allocatable")
    .option("--no-headers", "omit the header row")
    .action((kind: string, names: string[], options: TopCommandOptions) =>
      perform(async (context) => (await import("../commands/top.js")).top(context, kind, names, options)),
    );

  sub(
    root,
    "describe",
    "Show details of pods or the node.",
    "describe pod web",
    "describe pods -l app=web",
    "describe node",
  )
    .argument("<kind>", "pod or node")
    .argument("[names...]", "names of pods (default: all)")
    .addOption(namespaceOption())
    .option("-A, --all-namespaces", "pods of all namespaces")
    .addOption(selectorOption())
    .action((kind: string, names: string[], options: DescribeOptions) =>
      perform(async (context) => (await import("../commands/describe.js")).describe(context, kind, names, options)),
    );

  sub(
    root,
    "logs",
    "Print the log of a container.",
    "logs web",
    "logs -f web -c sidecar",
    "logs web --previous --tail 20",
    "logs -l app=web --all-containers --prefix",
  )
    .argument("[pod]", "NAME or pod/NAME; or --selector")
    .argument("[container]", "container (default: the first one)")
    .addOption(containerOption())
    .option("--all-containers", "show the logs of all containers, init containers first")
    .addOption(selectorOption())
    .option("--prefix", "put pod and container before each line")
    .option("--max-log-requests <number>", "number of logs that may be followed at once (default: 5)")
    .addOption(namespaceOption())
    .option("-f, --follow", "follow the log")
    .option("-p, --previous", "the log of the container before its last restart")
    .option("--tail <lines>", "only the last lines; -1: all (default: all, 10 with --selector)")
    .option("--timestamps", "put the time before each line")
    .addOption(new Option("--since <duration>", "only lines newer than this, for example 10m").conflicts("sinceTime"))
    .option("--since-time <time>", "only lines newer than an RFC 3339 time")
    .action((pod: string | undefined, container: string | undefined, options: LogsOptions) =>
      perform(async (context) => (await import("../commands/logs.js")).logs(context, pod, container, options)),
    );

  sub(
    root,
    "wait",
    "Wait for a condition of pods.",
    "wait --for condition=Ready pod/web",
    "wait --for delete pod/web --timeout 60s",
    "wait --for jsonpath={.status.phase}=Succeeded pod job",
  )
    .argument("[what...]", "pod NAME..., or pod/NAME...")
    .requiredOption("--for <what>", "create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]")
    .addOption(namespaceOption())
    .addOption(selectorOption())
    .option("--all", "all pods of the namespace")
    .option("--timeout <duration>", "time limit", "30s")
    .action((what: string[], options: WaitOptions) =>
      perform(async (context) => (await import("../commands/wait.js")).wait(context, what, options)),
    );

  sub(
    root,
    "events",
    "Show events of all pods and the node.",
    "events",
    "events -w --types Warning",
    "events -f -o json",
    "events --for pod/web",
  )
    .option("-w, --watch", "watch for new events")
    .option("-f, --follow", "the same")
    .option("--watch-only", "watch for new events, without the current ones")
    .option("--for <object>", "only events about KIND/NAME")
    .option("--types <types>", "Normal, Warning, or Normal,Warning")
    .option("--field-selector <fields>", "only events with these fields: reason=BackOff,involvedObject.name=web")
    .addOption(formatOption())
    .addOption(new Option("-n, --namespace <name>", "only events of this namespace"))
    .option("-A, --all-namespaces", "show all namespaces (default)")
    .option("--no-headers", "omit the header row")
    .action((options: EventsOptions) =>
      perform(async (context) => (await import("../commands/get.js")).get(context, "events", [], options)),
    );

  sub(
    root,
    "explain",
    "Show why a pod is not Ready and what to do next, and the decisions about a pod, container, image or device, with reasons. Unlike kubectl explain, it prints no schema.",
    "explain pod web",
    "explain pod/web -n kube-system",
    "explain image web:1",
    "explain pod web --scenario full-node.yaml --at 10m",
  )
    .argument("<kind>", "pod, container, image or device; or KIND/NAME; or the name of a pod")
    .argument("[name]", "its name")
    .option("--scenario <file>", "use a run of this scenario instead of the agent")
    .option("--at <time>", "with --scenario: decisions until this time (default: its end)")
    .option("--all", "also show computed values, and values that are not enforced here")
    .addOption(namespaceOption())
    .addOption(outputOption("json"))
    .action((kind: string, name: string | undefined, options: ExplainOptions & Partial<ExplainScenario>) =>
      perform(async (context) => {
        const { scenario, at, ...rest } = options;
        const { explain, explainSubject } = await import("../commands/explain.js");
        if (scenario === undefined && at === undefined) return explain(context, kind, name, rest);
        if (scenario === undefined) throw invalid("--at", "--scenario FILE beside it", at);
        const meant = explainSubject(kind, name);
        const { output } = rest;
        const within = { scenario, ...(at !== undefined && { at }), ...(output !== undefined && { output }) };
        return known(scenarios).explain(context, meant.kind, meant.name, within);
      }),
    );

  sub(
    root,
    "plan",
    "Show what a plugin would decide now. Changes nothing. Other --name value options go to the plugin.",
    "plan preemption -f pod.yaml",
    "plan eviction --signal memory.available",
    "plan imagegc --until 70",
    "plan cgroups -f pod.yaml --scenario node.yaml",
  )
    .argument("<plugin>", "name of a plugin; any other word prints the list of plugins that can plan")
    .argument("[arguments...]", "options of the plugin: --name value")
    .option("-f, --filename <file>", "manifest of a pod, - for standard input")
    .option("--scenario <file>", "use the node of this scenario instead of the agent's")
    .option("--at <time>", "with --scenario: at that time (default: its end)")
    .addOption(outputOption("json"))
    .allowUnknownOption()
    .action((plugin: string, rest: string[], options: PlanOptions) =>
      perform(async (context) => (await import("../commands/plan.js")).plan(context, plugin, rest, options, scenarios)),
    );
}
