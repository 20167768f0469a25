/** Arguments and environment of the container's program, as ENTER reads them, within the kernel's limits. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import { tooLongToExec } from "@hooklet/core/internal";
import type { Launch } from "../container-record.js";

/** perl searches all variables for each that it sets. */
const MAX_VARIABLES = 10_000;

type Given = Pick<Launch, "argv" | "env" | "workingDir">;

/** Fields that end in NUL: working directory, number of variables, variables, words of the command. */
export function encodeLaunch({ argv, env, workingDir }: Given): string {
  const variables = env.map(([name, value]) => `${name}=${value}`);
  return [workingDir, String(env.length), ...variables, ...argv].map((field) => `${field}\0`).join("");
}

/** Throws `invalid-argument` for a command or an environment that no process can be started with, naming what is too long. */
export function checkLaunch({ argv, env, workingDir }: Given): void {
  if ([workingDir, ...argv].some((word) => word.includes("\0"))) {
    throw new RuntimeError("invalid-argument", "command, args and workingDir must not hold NUL characters");
  }
  if (env.length > MAX_VARIABLES) {
    throw new RuntimeError(
      "invalid-argument",
      `the container has ${env.length} environment variables: at most ${MAX_VARIABLES}; put them into a file instead`,
    );
  }
  const found = tooLongToExec("command and args", argv, env);
  if (found !== undefined) throw new RuntimeError("invalid-argument", found);
}
