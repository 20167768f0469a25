/** A program for a container: an image and the words of its command. */

export interface Program {
  readonly image: string;
  readonly command: readonly string[];
}

/**
 * What the suite lets containers do, as a runtime under test can run it. The `command` of a program must also work in
 * `exec`.
 */
export interface Programs {
  /** Ends at once with this exit code. */
  exits(code: number): Program;
  /** Writes the text and a line feed to standard output and ends with 0. */
  prints(text: string): Program;
  /** The same to standard error. */
  printsError(text: string): Program;
  /** Runs until it gets TERM, then ends with this exit code. */
  runsUntilTerm(code: number): Program;
  /** Ignores TERM, as do the processes that it starts. */
  ignoresTerm(): Program;
  /**
   * Writes a line to standard output once its handler for TERM is set, and then does what `runsUntilTerm(term)` or `ignoresTerm()`
   * does. Absent: those are ready as soon as they have started, or soon after.
   */
  listens?(term: number | "ignored"): Program;
  /** Waits this long and ends with the exit code. */
  exitsAfter(milliseconds: number, code: number): Program;
  /** Waits this long, then does what `prints` does. */
  printsAfter(milliseconds: number, text: string): Program;
  /** Prints each of its arguments on a separate line, between `<` and `>`. The arguments are added as `args`. */
  printsArguments(): Program;
  /** Prints the value of an environment variable. */
  printsEnv(name: string): Program;
  /** Prints its working directory. */
  printsWorkingDirectory(): Program;
  /** Prints its numeric user id. */
  printsUser(): Program;
  /** Writes the text to a file in the container; ends with another exit code than 0 when it may not. */
  writesFile(path: string, text: string): Program;
  /** Prints the contents of a file in the container. */
  readsFile(path: string): Program;
  /** Copies standard input to standard output until it ends, then ends with 0. */
  copiesInput(): Program;
  /** A command that does not exist in the image. */
  missing(): Program;
  /**
   * Starts a child in its own session that appends to the file every 50 ms forever, then does what
   * `runsUntilTerm(0)` does. Absent: containers of this runtime have no processes.
   */
  forksChildren?(path: string): Program;
}

/** The programs for any image with a POSIX shell at `/bin/sh`; `forksChildren` also needs `setsid`. */
export function posixPrograms(image: string): Programs {
  const sh = (script: string, ...words: string[]): Program => ({
    image,
    command: ["/bin/sh", "-c", script, "sh", ...words],
  });
  // A shell handles a signal only after its foreground child has ended: `wait` is what a signal interrupts.
  const untilTerm = (code: number, then = ""): string =>
    `trap 'exit ${code}' TERM; ${then}while :; do sleep 3600 & wait $!; done`;
  return {
    exits: (code) => sh('exit "$1"', String(code)),
    prints: (text) => sh(`printf '%s\\n' "$1"`, text),
    printsError: (text) => sh(`printf '%s\\n' "$1" >&2`, text),
    runsUntilTerm: (code) => sh(untilTerm(code)),
    ignoresTerm: () => sh("trap '' TERM; while :; do sleep 1; done"),
    listens: (term) =>
      sh(
        term === "ignored"
          ? "trap '' TERM; echo listens; while :; do sleep 1; done"
          : untilTerm(term, "echo listens; "),
      ),
    exitsAfter: (milliseconds, code) => sh('sleep "$1"; exit "$2"', String(milliseconds / 1000), String(code)),
    printsAfter: (milliseconds, text) => sh(`sleep "$1"; printf '%s\\n' "$2"`, String(milliseconds / 1000), text),
    printsArguments: () => sh(`for word; do printf '<%s>\\n' "$word"; done`),
    printsEnv: (name) => sh(`printf '%s\\n' "$${name}"`),
    printsWorkingDirectory: () => sh("pwd -P"),
    printsUser: () => sh("id -u"),
    writesFile: (path, text) => sh(`printf '%s' "$2" > "$1"`, path, text),
    readsFile: (path) => sh('cat "$1"', path),
    copiesInput: () => ({ image, command: ["cat"] }),
    missing: () => ({ image, command: ["hooklet-no-such-command"] }),
    forksChildren: (path) =>
      sh(
        `setsid sh -c 'trap "" TERM HUP; while :; do echo beat >> "$1"; sleep 0.05; done' sh "$1" & ${untilTerm(0)}`,
        path,
      ),
  };
}

/** The suite's programs for the simulated runtime. */
export function simulatedPrograms(image: string): Programs {
  const words = (...command: string[]): Program => ({ image, command });
  return {
    exits: (code) => words("exit", `${code}`),
    prints: (text) => words("echo", text),
    printsError: (text) => words("echo-error", text),
    runsUntilTerm: (code) => words("until-term", `${code}`),
    ignoresTerm: () => words("ignore-term"),
    exitsAfter: (milliseconds, code) => words("exit-after", `${milliseconds}`, `${code}`),
    printsAfter: (milliseconds, text) => words("echo-after", `${milliseconds}`, text),
    printsArguments: () => words("arguments"),
    printsEnv: (name) => words("printenv", name),
    printsWorkingDirectory: () => words("pwd"),
    printsUser: () => words("user-id"),
    writesFile: (path, text) => words("write-file", path, text),
    readsFile: (path) => words("cat", path),
    copiesInput: () => words("cat"),
    missing: () => words("hooklet-no-such-command"),
  };
}
