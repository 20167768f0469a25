/** What `-o` asks for. Pure. */
import { didYouMean, nearest } from "@hooklet/manifest";
import { invalid, NodeAgentError } from "@hooklet/utils";
import { FORMATS } from "../formats.js";
import { type Column, parseColumns } from "./custom-columns.js";
import { parseTemplate } from "./jsonpath/parse.js";
import type { Block } from "./jsonpath/syntax.js";

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
