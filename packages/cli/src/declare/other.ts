/** Commands that need no agent. */
import { Argument, type Command } from "commander";
import type { VersionOptions } from "../commands/version.js";
import { outputOption, type Perform, sub } from "./parts.js";

export function declareOther(root: Command, perform: Perform): void {
  root.commandsGroup("Other:");
  sub(
    root,
    "version",
    "Print the version. With -o json or yaml, also the version of the running agent.",
    "version",
    "version -o json",
  )
    .addOption(outputOption("json", "yaml"))
    .action((options: VersionOptions) =>
      perform(async (context) => (await import("../commands/version.js")).showVersion(context, options)),
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
