/**
 * Two copies of core in one process, as a plugin with core among its own dependencies loads them, would each have
 * their own hooks and errors, and fail silently. Each copy registers itself here when it is loaded.
 */
import { fileURLToPath } from "node:url";
import { processWide, severalCores } from "@hooklet/utils";

/**
 * Of a bundle, which scripts/bundle.mjs makes: the files of the packages in it, by the names under which others import them, relative to
 * the bundle's files. Undefined where core runs from its own package.
 */
declare const HOOKLET_BUNDLE: Readonly<Record<string, string>> | undefined;
const bundle = typeof HOOKLET_BUNDLE === "undefined" ? undefined : HOOKLET_BUNDLE;

/** URLs of the files of this process's own packages, by the names under which they are imported. Empty but in a bundle. */
export const bundled: ReadonlyMap<string, string> = new Map(
  Object.entries(bundle ?? {}).map(([specifier, file]) => [specifier, new URL(file, import.meta.url).href]),
);

/** The folder in which core's code lies: that of its package, or the bundle. It ends in a slash. */
export const coreFolder = fileURLToPath(new URL(bundle === undefined ? ".." : ".", import.meta.url));

const copies = processWide("copies", () => new Set<string>());
copies.add(coreFolder);

/** @throws NodeAgentError SEVERAL_CORES naming the folder of each copy that this process has loaded */
export function requireOneCore(loaded: ReadonlySet<string> = copies): void {
  if (loaded.size < 2) return;
  throw severalCores([...loaded].sort());
}
