/** Commands that need no agent. */
import { Argument, type Command } from "commander";
import type { CheckOptions } from "../commands/check.js";
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
    "check full-node.yaml",
  )
    .argument("[scenarios...]", "scenarios to check in place of the rc file")
    .option("--config <file>", "rc file (default: searched in the working directory and /etc/hooklet)")
    .option("-f, --filename <file>", "manifest to check, - for standard input; may be given again", collect)
    .addOption(outputOption("json"))
    .action((scenarios: string[], options: CheckOptions) =>
      perform(async (context) =>
        scenarios.length > 0
          ? known(knowing).check(context, scenarios)
          : (await import("../commands/check.js")).check(context, options),
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
