/** A container's environment. Pure. */
import { RuntimeError } from "@hooklet/core/host";

type Entry = readonly [name: string, value: string];

/** Later sources win; the order of first appearance is kept. Throws `invalid-argument` naming the variable. */
export function mergeEnvironment(...sources: readonly (readonly Entry[])[]): Entry[] {
  const merged = new Map<string, string>();
  for (const [name, value] of sources.flat()) {
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      throw new RuntimeError(
        "invalid-argument",
        `environment variable ${JSON.stringify(name)}: expected a name without = and no NUL`,
      );
    }
    merged.set(name, value);
  }
  return [...merged];
}

/** `NAME=value` lines of an image; one without `=` is left out, as docker does. */
export function parseImageEnv(lines: readonly string[]): Entry[] {
  return lines.flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}
