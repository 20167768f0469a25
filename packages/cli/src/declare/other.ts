/** Commands that need no agent. */
import { Argument, type Command } from "commander";
import type { CheckOptions } from "../commands/check.js";
import type { CreateOptions } from "../commands/create.js";
import type { InitOptions } from "../commands/init.js";
import type { VersionOptions } from "../commands/version.js";
import { known, type Scenarios } from "../scenarios.js";
import { collect, outputOption, type Perform, sub } from "./parts.js";

export function declareOther(root: Command, perform: Perform, knowing: Scenarios | undefined): void {
  sub(
    root,
    "check",
    "Check the rc file, manifests, scenarios; print the effective configuration with the origin of every value.",
    "check",
    "check --config ./.hookletrc.yaml -f pod.yaml",
    "check --from-kubelet /var/lib/kubelet/config.yaml > .hookletrc.yaml",
    "check full-node.yaml",
  )
    .argument("[scenarios...]", "scenarios to check in place of the rc file")
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option("-f, --filename <file>", "manifest to check, - for standard input; may be given again", collect)
    .option("--from-kubelet <file>", "print the rc file for a KubeletConfiguration, and what has no counterpart")
    .addOption(outputOption("json"))
    .action((scenarios: string[], options: CheckOptions) =>
      perform(async (context) =>
        scenarios.length > 0
          ? known(knowing).check(context, scenarios)
          : (await import("../commands/check.js")).check(context, options, knowing),
      ),
    );

  sub(
    root,
    "version",
    "Print the version; as JSON or YAML also that of the agent that runs.",
    "version",
    "version -o json",
  )
    .addOption(outputOption("json", "yaml"))
    .action((options: VersionOptions) =>
      perform(async (context) => (await import("../commands/version.js")).version(context, options)),
    );

  sub(
    root,
    "init",
    "Write an rc file with comments for this machine.",
    "init",
    "init --config /etc/hooklet/.hookletrc.yaml",
  )
    .option("--config <file>", "where to", ".hookletrc.yaml")
    .action((options: InitOptions) =>
      perform(async (context) => (await import("../commands/init.js")).init(context, options)),
    );

  sub(
    root,
    "create",
    "Write a plugin or strategy of one's own: a package with a passing test, named in the rc file.",
    "create plugin owners",
    "create plugin owners --ts",
    "create strategy scratch-first --for victims",
  )
    .addArgument(new Argument("<kind>", "what").choices(["plugin", "strategy"]))
    .argument("<new-name>", "its name, and that of its folder")
    .option("--ts", "in TypeScript")
    .option("--for <point>", "strategy point: victims, ranking, order or allocation")
    .action((kind: string, name: string, options: CreateOptions) =>
      perform(async (context) => (await import("../commands/create.js")).create(context, kind, name, options)),
    );

  sub(root, "completion", "Print a completion script for a shell.", "completion bash > /etc/bash_completion.d/hooklet")
    .addArgument(new Argument("<shell>", "shell").choices(["bash", "zsh", "fish"]))
    .action((shell: string) =>
      perform(async (context) => (await import("../completion/script.js")).printScript(context, shell)),
    );

  root
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action((words: string[]) =>
      perform(async (context) => (await import("../completion/complete.js")).complete(context, root, words)),
    );
}
