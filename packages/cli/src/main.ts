/** Entry of the CLI: `hooklet/bin/hooklet.js` calls it. */
import { errorText, systemClock } from "@hooklet/utils";
import { colours, type Io, processIo } from "./io.js";
import { escapeControls } from "./print/escape.js";
import { buildProgram, type CliHost, commanderCode } from "./program.js";

/**
 * Runs one command line (without node and script) and resolves with its exit code; errors are printed, never thrown.
 * @param io the process it runs in; tests bring their own
 */
export async function main(argv: readonly string[], host: CliHost, io: Io = processIo(systemClock)): Promise<number> {
  const words = withoutEqualSigns(argv);
  const { command, exitCode } = buildProgram(host, io, words);
  try {
    if (words.length === 0) {
      command.outputHelp();
      return 0;
    }
    await command.parseAsync([...words], { from: "user" });
    return exitCode();
  } catch (error) {
    const code = commanderCode(error);
    if (code !== undefined) return code;
    io.stderr.write(`${await errorLabel(io)} ${escapeControls(errorText(error))}\n`);
    return 1;
  }
}

/** `-n=default` is `-n default`, as kubectl has it. What follows `--` is not hooklet's. */
function withoutEqualSigns(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => (end === -1 || at < end ? word.replace(/^(-[A-Za-z])=(?=.)/s, "$1") : word));
}

async function errorLabel(io: Io): Promise<string> {
  if (!colours(io.stderr, io.env)) return "error:";
  const { styleText } = await import("node:util");
  return styleText("red", "error:", { validateStream: false });
}
