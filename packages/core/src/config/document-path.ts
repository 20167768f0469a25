import type { Path } from "../faults/faults.js";

/** Options of a plugin stand one level deeper in the file than people name them: `plugins[1][1].order`. */
export function documentPath(path: Path, document: Readonly<Record<string, unknown>>): Path {
  const [first, index, ...rest] = path;
  const entry = first === "plugins" && Array.isArray(document.plugins) ? document.plugins[Number(index)] : undefined;
  if (index === undefined || rest.length === 0 || typeof rest[0] === "number" || !Array.isArray(entry)) return path;
  return [first ?? "plugins", index, 1, ...rest];
}
