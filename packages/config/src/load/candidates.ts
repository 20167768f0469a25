/** What a name in the rc file may mean. Pure. */
import { isAbsolute } from "node:path";

const SHORT = /^[a-z][a-z0-9-]{0,60}$/;

/**
 * The packages that a name in the rc file may mean; the first existing one wins: the short name `x` of a plugin is
 * `@hooklet/plugin-x`, or else a package of that very name.
 */
export function candidates(kind: "plugin" | "runtime", specifier: string): readonly string[] {
  return SHORT.test(specifier) ? [`@hooklet/${kind}-${specifier}`, specifier] : [specifier];
}

/** The short name of `@hooklet/plugin-x`. */
export function shortName(kind: "plugin" | "runtime", specifier: string): string {
  return specifier.replace(`@hooklet/${kind}-`, "");
}

/** Whether a specifier is a path, and not the name of a package. */
export function isPath(specifier: string): boolean {
  return /^\.{0,2}\//.test(specifier) || isAbsolute(specifier);
}
