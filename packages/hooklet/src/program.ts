/** All commands of the binary: those of an agent, of a client, and for scenarios. Each is imported when it is called. */
import { type CliHost, clientCommands } from "@hooklet/cli";
import { collect, outputOption, sub } from "@hooklet/cli/extend";
import { type ScenarioCommands, scenarios } from "@hooklet/simulate/commands";
import { Argument, type Command, Option } from "commander";
import type { AgentPerform, Distribution } from "./agent-context.js";
import type { CheckOptions } from "./commands/check.js";
import type { CreateOptions } from "./commands/create.js";
import type { DevOptions } from "./commands/dev.js";
import type { DoctorOptions } from "./commands/doctor.js";
import type { InitOptions } from "./commands/init.js";
import type { RunOptions } from "./commands/run.js";

export function program(version: string, host: Distribution): CliHost {
  const inVirtualTime = scenarios({
    ...host,
    rcOfKubelet: async (...input) => (await import("./commands/check/from-kubelet.js")).rcOfKubelet(...input),
  });
  return {
    version,
    declare(root, perform) {
      const withHost: AgentPerform = (work) => perform((context) => work({ ...context, host }));
      declareRun(root, withHost);
      declareSetup(root, withHost, inVirtualTime);
      root.commandsGroup("Try it in virtual time:");
      inVirtualTime.declare(root, perform);
      declareDev(root, withHost, inVirtualTime);
      clientCommands(root, perform, inVirtualTime);
    },
  };
}

function declareRun(root: Command, perform: AgentPerform): void {
  root.commandsGroup("The agent and its configuration:");
  sub(
    root,
    "run",
    "Run the agent in the foreground. Ctrl-C stops the pods and the agent; SIGTERM stops only the agent. Pods that were applied run again at the next start.",
    "run --manifests ./manifests",
    "run --config /etc/hooklet/.hookletrc.yaml --log-format json",
    "run --manifests ./manifests --once --timeout 60s",
  )
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option("--manifests <dir>", "directory of pod manifests, watched; or one file")
    .option("--runtime <name>", "runtime: process, cri, a package or a file")
    .option("--kubeconfig <file>", "become a node of the cluster that this kubeconfig names")
    .option(
      "--bootstrap-kubeconfig <file>",
      "bootstrap kubeconfig: used to request a client certificate until --kubeconfig exists",
    )
    .option("--trust-sudo-user", "trust files of the user who called sudo as if they belonged to root")
    .option("--node-name <name>", "name of the node (default: the host name)")
    .option("--port <number>", "HTTP port on 127.0.0.1 for health and metrics, 0 = none (default: 10248)")
    .option("--once", "once every pod is Ready or has ended, stop the pods and exit; exit code 1 if a pod failed")
    .option("--timeout <duration>", "time limit for --once", "120s")
    .addOption(new Option("--log-format <format>", "log lines instead of the live view").choices(["text", "json"]))
    .addOption(
      new Option(
        "--log-level <level>",
        "lowest level to log (default: info; with the live view: warn, plus changes made through the control socket)",
      ).choices(["trace", "debug", "info", "warn", "error"]),
    )
    .action((options: RunOptions) =>
      perform(async (context) => (await import("./commands/run.js")).run(context, options)),
    );
}

function declareDev(root: Command, perform: AgentPerform, scenarios: ScenarioCommands): void {
  sub(
    root,
    "dev",
    "Watch a plugin or strategy. At each save, run its scenario, check its types, run its tests, and show what changed.",
    "dev owners --scenario owners/scenario.yaml",
    "dev ./no-latest.mjs --scenario full-node.yaml",
  )
    .argument("<path>", "directory or file of the plugin or strategy")
    .requiredOption("--scenario <file>", "scenario that uses it")
    .option("--once", "run it once, without watching; exit code 1 if something fails")
    .action((path: string, options: DevOptions) =>
      perform(async (context) => (await import("./commands/dev.js")).dev(context, path, options, scenarios)),
    );
}

/** Commands for rc files, manifests and custom plugins. They need no agent. */
function declareSetup(root: Command, perform: AgentPerform, scenarios: ScenarioCommands): void {
  sub(
    root,
    "check",
    "Check the rc file, manifests and scenarios. Without files, print the effective configuration with the origin of every value.",
    "check",
    "check --config ./.hookletrc.yaml -f pod.yaml",
    "check --from-kubelet /var/lib/kubelet/config.yaml > .hookletrc.yaml",
    "check pod.yaml full-node.yaml",
  )
    .argument(
      "[files...]",
      "manifests, scenarios and rc files; hooklet recognizes the kind by the content. In a directory every file is a manifest",
    )
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option(
      "-f, --filename <file>",
      "manifest to check for the node of the rc file, - for standard input; may be given again",
      collect,
    )
    .option(
      "--from-kubelet <file>",
      "print the rc file for a KubeletConfiguration; name the fields that hooklet does not have on standard error",
    )
    .addOption(outputOption("json"))
    .action((files: string[], options: CheckOptions) =>
      perform(async (context) =>
        files.length > 0
          ? (await import("./commands/check/files.js")).checkFiles(context, files, options, scenarios)
          : (await import("./commands/check.js")).check(context, options, scenarios),
      ),
    );

  sub(
    root,
    "doctor",
    "Check this machine: what is missing, what does not work without it, and the command that fixes it. Exit code 1 if hooklet cannot run on this machine, or the disk is so full that it rejects pods.",
    "doctor",
    "doctor --runtime cri",
    "doctor -o json",
  )
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option("--runtime <name>", "runtime: process, cri, a package or a file")
    .option("--port <number>", "HTTP port of the agent (default: that of the rc file, or 10248)")
    .addOption(outputOption("json"))
    .action((options: DoctorOptions) =>
      perform(async (context) => (await import("./commands/doctor.js")).doctor(context, options, scenarios)),
    );

  sub(
    root,
    "init",
    "Write a commented rc file that fits this machine.",
    "init",
    "init --config /etc/hooklet/.hookletrc.yaml",
  )
    .option("--config <file>", "file to write", ".hookletrc.yaml")
    .action((options: InitOptions) =>
      perform(async (context) => (await import("./commands/init.js")).init(context, options)),
    );

  sub(
    root,
    "create",
    "Create a package with a plugin or strategy and a passing test, and add it to the rc file.",
    "create plugin owners",
    "create plugin owners --ts",
    "create strategy scratch-first --for victims",
  )
    .addArgument(new Argument("<kind>", "what to create").choices(["plugin", "strategy"]))
    .argument("<new-name>", "name of the plugin or strategy, and of its directory")
    .option("--ts", "write TypeScript")
    .option("--for <point>", "decision that the strategy makes: victims, ranking, order or allocation")
    .action((kind: string, name: string, options: CreateOptions) =>
      perform(async (context) => (await import("./commands/create.js")).create(context, kind, name, options)),
    );
}
