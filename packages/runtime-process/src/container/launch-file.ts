/** What the container's own program is given, as ENTER reads it, and what of it the kernel takes. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import type { Launch } from "../container-record.js";

/** The kernel's bound on one word, with its end (MAX_ARG_STRLEN). */
export const MAX_WORD_BYTES = 128 * 1024;
/** A quarter of the usual stack (execve(2)): words, variables and a pointer to each. Some is left for what exec adds. */
const MAX_BYTES = 2 * 1024 * 1024 - 16 * 1024;
const POINTER_BYTES = 8;
/** perl looks through all variables for each that it sets. */
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
    throw tooLong(`the container has ${env.length} environment variables: at most ${MAX_VARIABLES}`);
  }
  let bytes = 0;
  const add = (what: string, size: number): void => {
    if (size >= MAX_WORD_BYTES) {
      throw tooLong(`${what} has ${size} bytes: the kernel takes at most ${MAX_WORD_BYTES - 1} of one`);
    }
    bytes += size + 1 + POINTER_BYTES;
  };
  for (const [index, word] of argv.entries()) add(`word ${index + 1} of command and args`, Buffer.byteLength(word));
  for (const [name, value] of env) {
    add(`environment variable ${name.slice(0, 100)}`, Buffer.byteLength(name) + 1 + Buffer.byteLength(value));
  }
  if (bytes > MAX_BYTES) {
    throw tooLong(`command, args and environment have ${bytes} bytes together: the kernel takes at most ${MAX_BYTES}`);
  }
}

function tooLong(what: string): RuntimeError {
  return new RuntimeError("invalid-argument", `${what}; put what is long into a ConfigMap or a file instead`);
}
