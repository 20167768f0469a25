/** What the kernel takes of a command and its environment (execve(2)), and containers that ask for more. Pure. */
import type { Container } from "kubernetes-types/core/v1.js";

/** Bytes of one argument or `NAME=value`, without its end (MAX_ARG_STRLEN). */
export const MAX_WORD_BYTES = 128 * 1024 - 1;
/** A quarter of the usual stack: arguments, variables and a pointer to each. Some is left for what exec adds. */
const MAX_BYTES = 2 * 1024 * 1024 - 16 * 1024;
const POINTER_BYTES = 8;

type Variable = readonly [name: string, value: string];

/** Describes what is too long; undefined: the kernel takes it. `what`: where the arguments come from. */
export function tooLongToExec(what: string, words: readonly string[], env: Iterable<Variable>): string | undefined {
  let bytes = 0;
  const tooLong = (name: () => string, size: number): string | undefined => {
    bytes += size + 1 + POINTER_BYTES;
    if (size <= MAX_WORD_BYTES) return undefined;
    return `${name()} has ${size} bytes: the kernel takes at most ${MAX_WORD_BYTES} of one; ${ADVICE}`;
  };
  for (const [index, word] of words.entries()) {
    const found = tooLong(() => `word ${index + 1} of ${what}`, Buffer.byteLength(word));
    if (found !== undefined) return found;
  }
  for (const [name, value] of env) {
    const size = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    const found = tooLong(() => `environment variable ${name.slice(0, 100)}`, size);
    if (found !== undefined) return found;
  }
  if (bytes <= MAX_BYTES) return undefined;
  return `${what} and the environment have ${bytes} bytes together: the kernel takes at most ${MAX_BYTES}; ${ADVICE}`;
}

const ADVICE = "put what is long into a ConfigMap or a file instead";

/**
 * Describes what in the container no kernel starts, with any values of its variables: references and values from elsewhere count
 * nothing here and are checked when the container is created.
 */
export function neverStarts(container: Container): string | undefined {
  const { command, args, env, lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const handlers = {
    livenessProbe,
    readinessProbe,
    startupProbe,
    "lifecycle.postStart": lifecycle?.postStart,
    "lifecycle.preStop": lifecycle?.preStop,
  };
  const variables = new Map<string, string>();
  for (const { name, value, valueFrom } of env ?? []) {
    // An optional value from elsewhere may not be there, and then the former one stays.
    if (valueFrom) variables.delete(name);
    else variables.set(name ?? "", unreferenced(value ?? ""));
  }
  const commands = [
    ["command and args", [...(command ?? []), ...(args ?? [])]] as const,
    ...Object.entries(handlers).map(
      ([name, handler]) => [`${name}.exec.command`, handler?.exec?.command ?? []] as const,
    ),
  ];
  for (const [what, words] of commands) {
    const found = tooLongToExec(what, words.map(unreferenced), variables);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** At least this is left of a text whose `$(NAME)` are replaced. */
function unreferenced(text: string): string {
  return text.replace(/\$(?:\$|\([^()]*\))/g, (match) => (match === "$$" ? "$" : ""));
}
