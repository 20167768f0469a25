/** The command line's shape. Commands themselves are imported when they are called: `hooklet version` loads none. */
import { Command, CommanderError } from "commander";
import type { GlobalOptions } from "./context.js";
import { declareChanging } from "./declare/changing.js";
import { declareInside } from "./declare/inside.js";
import { declareOther } from "./declare/other.js";
import type { Perform } from "./declare/parts.js";
import { declareReading } from "./declare/reading.js";
import { declareRun } from "./declare/run.js";
import type { Io } from "./io.js";
import type { ScenarioHost } from "./scenarios.js";

export interface Program {
  readonly command: Command;
  /** Of the command that was run. */
  exitCode(): number;
}

export function buildProgram(host: ScenarioHost, io: Io): Program {
  let code = 0;
  const root = new Command("hooklet");
  const perform: Perform = async (work) => {
    code = await work({ io, host, global: root.opts<GlobalOptions>() });
  };
  root
    .description("A Kubernetes node agent you can re-program.")
    .version(host.version, "-V, --version", "print the version")
    .option("--socket <path>", "control socket of the agent (HOOKLET_SOCKET; default: hooklet.sock in the root dir)")
    .option(
      "--root-dir <dir>",
      "state folder of the agent (default: /var/lib/hooklet as root, else ~/.local/state/hooklet)",
    )
    .addHelpText("after", "\nExample:\n  $ hooklet run --manifests ./manifests\n  $ hooklet get pods")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Try "hooklet --help".')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) });
  declareRun(root, perform);
  declareReading(root, perform, host.scenarios);
  declareInside(root, perform);
  declareChanging(root, perform);
  declareOther(root, perform, host.scenarios);
  host.scenarios?.declare(root, perform);
  return { command: root, exitCode: () => code };
}

/** The exit code for what commander threw: help and version are no errors. */
export function commanderCode(error: unknown): number | undefined {
  return error instanceof CommanderError ? error.exitCode : undefined;
}
