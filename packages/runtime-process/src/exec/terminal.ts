/** Runs a command on a new terminal. script(1) creates it: Node cannot, and the libraries that can need a compiler. */
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { ON_TERMINAL } from "../command/scripts.js";
import { runTool, spawnOnTerminal, type TerminalProcess } from "../command/spawn.js";
import type { Container } from "../container/container.js";
import type { Deps } from "../deps.js";
import { execWords } from "./session.js";

export interface OnTerminal {
  readonly child: TerminalProcess;
  resize(columns: number, rows: number): void;
}

const MAX_SIDE = 10_000;

/** How long a command on a terminal waits for its reader's size, milliseconds: clients send it first, but none has to. */
const SIZE_PATIENCE = 1_000;
const STTY_PATIENCE = 10_000;

/** Rejects with `unimplemented` where script(1) or stty(1) is missing, otherwise as `execWords` does. */
export async function startOnTerminal(
  deps: Deps,
  container: Container,
  command: readonly string[],
  signal: AbortSignal | undefined,
): Promise<OnTerminal> {
  const tools = deps.terminalTools;
  if (tools === undefined) {
    throw new RuntimeError(
      "unimplemented",
      "terminals need script(1) of util-linux, stty and tty of coreutils on the machine: install them, or run the command without -t",
    );
  }
  const { enter, words, env } = await execWords(deps, container, command, signal);
  // -E: without a terminal script(1) would switch the echo off. It runs within the namespaces, so that the command can see the session
  // that it makes: a shell hands the terminal to its jobs by their numbers.
  const [file = "", ...args] = [...enter, tools.script, "-q", "-e", "-E", "always", "-c", ON_TERMINAL, "/dev/null"];
  const child = await spawnOnTerminal(file, args, {
    ...env,
    ...inEnvironment(words),
    __hooklet_tty: tools.tty,
    SHELL: deps.tools.sh,
  });
  const resize = resizer(deps, [...enter, tools.stty], child);
  let reported = false;
  void child.terminal.then(() => {
    deps.clock.schedule(SIZE_PATIENCE, () => reported || child.begin());
    // A known size is set first: setting it starts the command, and stty may be slow on a busy machine.
    deps.clock.schedule(STTY_PATIENCE, () => child.begin());
  });
  return {
    child,
    resize: (columns, rows) => {
      if (!isSize(columns, rows)) return;
      reported = true;
      resize(columns, rows);
    },
  };
}

/** One word per variable, as ON_TERMINAL reads them. */
function inEnvironment(words: readonly string[]): Record<string, string> {
  const variables = words.map((word, at): [string, string] => [`__hooklet_word_${at}`, word]);
  return { ...Object.fromEntries(variables), __hooklet_words: String(words.length) };
}

/**
 * `stty`: the words that run stty(1) where the terminal has its path. One at a time; of the sizes that come meanwhile only the last one
 * counts. The command starts after the first: a program reads the size of its terminal when it starts.
 */
function resizer(deps: Deps, stty: readonly string[], { terminal, begin }: TerminalProcess): OnTerminal["resize"] {
  const [file = "", ...words] = stty;
  let wanted: readonly [columns: number, rows: number] | undefined;
  let busy = false;
  const set = async (): Promise<void> => {
    const path = await terminal;
    while (wanted !== undefined && path !== undefined) {
      const [columns, rows] = wanted;
      wanted = undefined;
      const { exitCode, output } = await runTool(file, [
        ...words,
        "-F",
        path,
        "cols",
        String(columns),
        "rows",
        String(rows),
      ]);
      // The command may have ended.
      if (exitCode !== 0) deps.log.debug(`the size of terminal ${path} was not set: ${output.trim()}`);
      begin();
    }
  };
  return (columns, rows) => {
    wanted = [columns, rows];
    if (busy) return;
    busy = true;
    set()
      .catch((error: unknown) => {
        deps.log.debug(`the size of a terminal was not set: ${errorText(error)}`);
        begin();
      })
      .finally(() => {
        busy = false;
      });
  };
}

function isSize(columns: number, rows: number): boolean {
  return [columns, rows].every((side) => Number.isInteger(side) && side > 0 && side <= MAX_SIDE);
}
