/** The commands of a client: those that ask an agent over its socket, and a few that need none. */

import { Argument, type Command } from "commander";
import type { VersionOptions } from "../commands/version.js";
import type { Scenarios } from "../scenarios.js";
import { declareChanging } from "./changing.js";
import { declareInside } from "./inside.js";
import { outputOption, type Perform, sub } from "./parts.js";
import { declareReading } from "./reading.js";

/** The commands that ask an agent, over its socket, and those that need no agent. @param scenarios for `--scenario` of `explain` and `plan` */
export function clientCommands(root: Command, perform: Perform, scenarios?: Scenarios): void {
  declareReading(root, perform, scenarios);
  declareInside(root, perform);
  declareChanging(root, perform);
  declareOther(root, perform);
}

/** Commands that need no agent. */
function declareOther(root: Command, perform: Perform): void {
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
