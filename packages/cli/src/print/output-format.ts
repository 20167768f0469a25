/** What `-o` asks for. Pure. */

import { didYouMean, nearest } from "@hooklet/manifest";
import { invalid, NodeAgentError } from "@hooklet/utils";
import { FORMATS } from "../formats.js";
import { valuesOf, valueText } from "./jsonpath/evaluate.js";
import { type Block, type Path, parsePath, parseTemplate } from "./jsonpath/parse.js";

export type OutputFormat =
  | { readonly kind: "table"; readonly wide: boolean }
  | { readonly kind: "json" | "yaml" | "name" }
  | { readonly kind: "jsonpath"; readonly blocks: readonly Block[] }
  | { readonly kind: "custom-columns"; readonly columns: readonly Column[] };

/** `json`, `jsonpath={.metadata.name}` and the like; none is the table. @throws NodeAgentError INVALID */
export function outputFormat(text: string | undefined): OutputFormat {
  const [, name = "", , value = ""] = /^([^=]*)(=(.*))?$/s.exec(text ?? "") ?? [];
  const hasValue = text?.includes("=") ?? false;
  if (name === "jsonpath")
    return { kind: name, blocks: parseTemplate(needed(hasValue, value, "jsonpath={.metadata.name}")) };
  if (name === "custom-columns") {
    return { kind: name, columns: parseColumns(needed(hasValue, value, "custom-columns=NAME:.metadata.name")) };
  }
  if (hasValue) throw unknown(text);
  if (name === "" || name === "wide") return { kind: "table", wide: name === "wide" };
  if (name === "json" || name === "yaml" || name === "name") return { kind: name };
  throw unknown(text);
}

function needed(hasValue: boolean, value: string, example: string): string {
  if (hasValue && value !== "") return value;
  throw invalid("--output", `a template, for example ${example}`, undefined);
}

/** By what people write for them. */
const MEANT: Readonly<Record<string, string>> = { yml: "yaml", "go-template": "jsonpath", table: "wide" };

function unknown(text: string | undefined): Error {
  const error = invalid("--output", `one of ${FORMATS.join(", ")}`, text);
  const name = text?.split("=")[0] ?? "";
  const meant = MEANT[name] ?? nearest(name, FORMATS)[0];
  return meant === undefined ? error : new NodeAgentError("INVALID", `${error.message}${didYouMean([meant])}`);
}

// `-o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image`, as kubectl shows it.

interface Column {
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
