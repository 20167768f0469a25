import type { SimulatedProgram } from "./process.js";

/** Programs by the first word of the command. `missing` is a command that does not exist. */
export type ProgramTable = Readonly<Record<string, SimulatedProgram | "missing">>;

const number = (word: string | undefined): number => Number(word ?? 0) || 0;

/** What commands do in a simulated container unless the test says otherwise; other commands run until TERM. */
export const builtInPrograms: ProgramTable = {
  true: (process) => process.exit(0),
  false: (process) => process.exit(1),
  exit: (process) => process.exit(number(process.argv[1])),
  "exit-after": (process) => process.after(number(process.argv[1]), () => process.exit(number(process.argv[2]))),
  // It handles no signal, and the first process of a container that handles none is not ended by TERM.
  sleep: (process) => {
    process.onTerm(() => {});
    process.after(number(process.argv[1]) * 1000, () => process.exit(0));
  },
  echo: (process) => {
    process.print(`${process.argv.slice(1).join(" ")}\n`);
    process.exit(0);
  },
  "echo-after": (process) =>
    process.after(number(process.argv[1]), () => {
      process.print(`${process.argv[2] ?? ""}\n`);
      process.exit(0);
    }),
  "echo-error": (process) => {
    process.printError(`${process.argv.slice(1).join(" ")}\n`);
    process.exit(0);
  },
  "until-term": (process) => process.onTerm(() => process.exit(number(process.argv[1]))),
  "ignore-term": (process) => process.onTerm(() => {}),
  arguments: (process) => {
    process.print(
      process.argv
        .slice(1)
        .map((word) => `<${word}>\n`)
        .join(""),
    );
    process.exit(0);
  },
  printenv: (process) => {
    process.print(`${process.env[process.argv[1] ?? ""] ?? ""}\n`);
    process.exit(0);
  },
  pwd: (process) => {
    process.print(`${process.workingDir}\n`);
    process.exit(0);
  },
  "user-id": (process) => {
    process.print(`${process.user}\n`);
    process.exit(0);
  },
  "write-file": (process) => {
    process.writeFile(process.argv[1] ?? "", process.argv[2] ?? "");
    process.exit(0);
  },
  cat: (process) => {
    const path = process.argv[1];
    if (path === undefined) {
      process.onInput((data) => (data === undefined ? process.exit(0) : process.print(data.toString())));
      return;
    }
    process.print(process.readFile(path));
    process.exit(0);
  },
  "hooklet-no-such-command": "missing",
};
