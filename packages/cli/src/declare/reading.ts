/** Commands that change nothing. */
import { invalid } from "@hooklet/core/base";
import { type Command, Option } from "commander";
import type { EventsOptions } from "../commands/events.js";
import type { ExecOptions } from "../commands/exec.js";
import type { LogsOptions } from "../commands/logs.js";
import type { PortForwardOptions } from "../commands/port-forward.js";
import type { TopCommandOptions } from "../commands/top.js";
import { known, type Scenarios } from "../scenarios.js";
import type { ReadOptions } from "../show.js";
import { containerOption, namespaceOption, outputOption, type Perform, sub } from "./parts.js";

export function declareReading(root: Command, perform: Perform, scenarios: Scenarios | undefined): void {
  sub(
    root,
    "get",
    "Show pods, node, plugins, images, events, or a table that a plugin offers.",
    "get pods",
    "get pods -A -o wide",
    "get pod web -o json",
    "get plugins",
  )
    .argument("<kind>", "pods, node, plugins, images, events or a plugin's table")
    .argument("[names...]", "names of pods")
    .addOption(outputOption("wide", "json", "yaml"))
    .addOption(namespaceOption())
    .option("-A, --all-namespaces", "pods of all namespaces")
    .action((kind: string, names: string[], options: ReadOptions) =>
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
    .option("--containers", "each container by itself")
    .option("-l, --selector <labels>", "only pods with these labels: app=web,tier!=db,env in (a,b),!old")
    .addOption(new Option("--sort-by <column>", "the most first (default: by name)").choices(["cpu", "memory"]))
    .option("--sum", "add a line with the sums")
    .option("--show-capacity", "the node's shares of its capacity instead of what pods may have of it")
    .option("--no-headers", "without the line of headings")
    .action((kind: string, names: string[], options: TopCommandOptions) =>
      perform(async (context) => (await import("../commands/top.js")).top(context, kind, names, options)),
    );

  sub(root, "describe", "Show all about a pod, or the node.", "describe pod web")
    .argument("<kind>", "pod or node")
    .argument("[names...]", "names of pods")
    .addOption(namespaceOption())
    .action((kind: string, names: string[], options: { namespace?: string }) =>
      perform(async (context) => (await import("../commands/describe.js")).describe(context, kind, names, options)),
    );

  sub(
    root,
    "logs",
    "Print the log of a container.",
    "logs web",
    "logs -f web -c sidecar",
    "logs web --previous --tail 20",
  )
    .argument("<pod>", "NAME or pod/NAME")
    .argument("[container]", "container (default: the first one)")
    .addOption(containerOption())
    .addOption(namespaceOption())
    .option("-f, --follow", "go on with what is written later")
    .option("-p, --previous", "of the container before its last restart")
    .option("--tail <lines>", "only the last lines")
    .option("--timestamps", "put each line's time before it")
    .addOption(new Option("--since <duration>", "only what is newer, for example 10m").conflicts("sinceTime"))
    .option("--since-time <time>", "only what is newer than an RFC 3339 time")
    .action((pod: string, container: string | undefined, options: LogsOptions) =>
      perform(async (context) => (await import("../commands/logs.js")).logs(context, pod, container, options)),
    );

  sub(
    root,
    "exec",
    "Run a command in a container; its exit code is handed on.",
    "exec web -- ls /",
    "exec -it web -- sh",
  )
    .usage("[options] <pod> -- <command> [arguments...]")
    .argument("<pod>", "NAME or pod/NAME")
    .argument("[command...]", "command and its arguments, behind --")
    .addOption(containerOption())
    .addOption(namespaceOption())
    .option("-i, --stdin", "hand standard input on")
    .option("-t, --tty", "give the command a terminal")
    .action((pod: string, command: string[], options: ExecOptions) =>
      perform(async (context) => (await import("../commands/exec.js")).exec(context, pod, command, options)),
    );

  sub(
    root,
    "port-forward",
    "Forward local ports to ports inside a pod, until interrupted.",
    "port-forward web 8080:80",
    "port-forward pod/web 8080:80 :9090",
  )
    .argument("<pod>", "NAME or pod/NAME")
    .argument("<ports...>", "[LOCAL:]PORT; nothing before the colon: any free local port")
    .addOption(namespaceOption())
    .option("--address <ip>", "local address to listen on", "127.0.0.1")
    .action((pod: string, ports: string[], options: PortForwardOptions) =>
      perform(async (context) =>
        (await import("../commands/port-forward.js")).portForward(context, pod, ports, options),
      ),
    );

  sub(root, "events", "Show events of all pods and the node.", "events", "events -f -o json", "events --for pod/web")
    .option("-f, --follow", "go on with each new event")
    .option("--for <object>", "only events about KIND/NAME")
    .addOption(outputOption("json", "yaml"))
    .addOption(new Option("-n, --namespace <name>", "only events of this namespace"))
    .action((options: EventsOptions) =>
      perform(async (context) => (await import("../commands/events.js")).events(context, options)),
    );

  sub(
    root,
    "explain",
    "Show the decisions about a pod, container, image or device, and why they were made.",
    "explain pod web",
    "explain pod web --scenario full-node.yaml --at 10m",
  )
    .argument("<kind>", "pod, container, image or device")
    .argument("<name>", "its name")
    .option("--scenario <file>", "in a run of this scenario, in place of the agent")
    .option("--at <time>", "with --scenario: the decisions until then (default: its end)")
    .addOption(outputOption("json"))
    .action((kind: string, name: string, options: { scenario?: string; at?: string; output?: "json" }) =>
      perform(async (context) => {
        const { scenario, at, ...rest } = options;
        if (scenario === undefined && at === undefined) {
          return (await import("../commands/explain.js")).explain(context, kind, name, rest);
        }
        if (scenario === undefined) throw invalid("--at", "--scenario FILE beside it", at);
        return known(scenarios).explain(context, kind, name, { ...rest, scenario, ...(at !== undefined && { at }) });
      }),
    );

  sub(
    root,
    "plan",
    "Show what a plugin would decide now; nothing is changed. Further --name value go to the plugin.",
    "plan my-plugin -f pod.yaml",
    "plan my-plugin --limit 70",
  )
    .argument("<plugin>", "name of a plugin, as in get plugins")
    .argument("[arguments...]", "--name value for the plugin")
    .option("-f, --filename <file>", "manifest of a pod, - for standard input")
    .addOption(outputOption("json"))
    .allowUnknownOption()
    .action((plugin: string, rest: string[], options: { filename?: string; output?: "json" }) =>
      perform(async (context) => (await import("../commands/plan.js")).plan(context, plugin, rest, options)),
    );
}
