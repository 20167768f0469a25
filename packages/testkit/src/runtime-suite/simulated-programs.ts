import type { Program, Programs } from "./programs.js";

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
