/** `-o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image`, as kubectl shows it. Pure. */
import { invalid } from "@hooklet/utils";
import { valuesOf, valueText } from "./jsonpath/evaluate.js";
import { parsePath } from "./jsonpath/parse-path.js";
import type { Path } from "./jsonpath/syntax.js";

export interface Column {
  readonly head: string;
  readonly path: Path;
}

/** @throws NodeAgentError INVALID */
export function parseColumns(spec: string): readonly Column[] {
  const fail = (expected: string): Error => invalid("custom-columns", expected, spec);
  return splitColumns(spec).map((part) => {
    const colon = part.indexOf(":");
    if (colon < 1) throw fail("HEAD:PATH, with commas between the columns");
    return { head: part.slice(0, colon).trim(), path: parsePath(relaxed(part.slice(colon + 1).trim()), fail) };
  });
}

/** A line of an object; `<none>` where it has nothing. */
export function customCells(columns: readonly Column[], object: unknown): readonly string[] {
  return columns.map(({ path }) => valuesOf(path, object).map(valueText).join(",") || "<none>");
}

/** Commas within brackets belong to the path. */
function splitColumns(spec: string): readonly string[] {
  return spec.split(/,(?![^[]*\])/);
}

/** kubectl takes `metadata.name`, `.metadata.name` and `{.metadata.name}` alike. */
function relaxed(path: string): string {
  const bare = /^\{(.*)\}$/s.exec(path)?.[1] ?? path;
  return /^[.[@$]/.test(bare) ? bare : `.${bare}`;
}
