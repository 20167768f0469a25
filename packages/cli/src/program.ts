/** The command line's shape. Commands themselves are imported when they are called: `hooklet version` loads none. */
import { Command, CommanderError } from "commander";
import type { GlobalOptions } from "./context.js";
import type { Perform } from "./declare/parts.js";
import type { Io } from "./io.js";
import { hookletsWay } from "./kubectl-habits.js";
import { escapeControls } from "./print/escape.js";

/** Who runs the CLI: the published package, which knows its version and adds the commands of an agent to those of a client. */
export interface CliHost {
  readonly version: string;
  /** Adds all commands: those of `clientCommands`, and further ones. */
  declare(root: Command, perform: Perform): void;
}

export interface Program {
  readonly command: Command;
  /** Of the command that was run. */
  exitCode(): number;
}

/** @param words the command line: hints go by it */
export function buildProgram(host: CliHost, io: Io, words: readonly string[] = []): Program {
  let code = 0;
  const root = new Command("hooklet");
  const perform: Perform = async (work) => {
    code = await work({ io, version: host.version, global: root.opts<GlobalOptions>() });
  };
  root
    .description("A Kubernetes node agent you can re-program.")
    .version(host.version, "-V, --version", "print the version")
    .option("--socket <path>", "control socket of the agent (HOOKLET_SOCKET; default: hooklet.sock in the root dir)")
    .option(
      "--root-dir <dir>",
      "state directory of the agent (default: /var/lib/hooklet as root, else ~/.local/state/hooklet)",
    )
    .addHelpText("after", "\nExample:\n  $ hooklet run --manifests ./manifests\n  $ hooklet get pods")
    .addHelpText("after", '\n"hooklet COMMAND --help" shows a command\'s options and examples.')
    .showHelpAfterError('Try "hooklet --help".')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => {
        const hint = hookletsWay(text, words);
        // A name that is near by spelling would only lead astray beside it.
        write(hint === undefined ? text : `${text.replace(/\n\(Did you mean .*\)/, "")}${escapeControls(hint)}\n`);
      },
    });
  host.declare(root, perform);
  return { command: root, exitCode: () => code };
}

/** The exit code for what commander threw: help and version are no errors. */
export function commanderCode(error: unknown): number | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  // A group of commands alone shows its help, as kubectl does.
  return error.code === "commander.help" ? 0 : error.exitCode;
}
