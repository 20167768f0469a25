/** What a template says of an object. Source of the rules: k8s.io/client-go/util/jsonpath. Pure. */

import { isRecord } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { Block, Path, Step } from "./parse.js";

/** The text of a template for an object; fields that are not there are empty, as for kubectl. */
export function fillTemplate(blocks: readonly Block[], object: unknown): string {
  return blocks.map((block) => fillBlock(block, object)).join("");
}

function fillBlock(block: Block, object: unknown): string {
  if (block.kind === "text") return block.text;
  const found = valuesOf(block.path, object);
  if (block.kind === "values") return found.map(valueText).join(" ");
  return found.map((one) => fillTemplate(block.body, one)).join("");
}

/** Every value that a path leads to. @throws NodeAgentError INVALID for an index into what is no list, or beyond its end */
export function valuesOf(path: Path, object: unknown): readonly unknown[] {
  return path.reduce((values: readonly unknown[], step) => take(step, values), [object]);
}

/** A value in a line: text as it is, lists and objects as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function take(step: Step, values: readonly unknown[]): readonly unknown[] {
  switch (step.kind) {
    case "literal":
      return [step.value];
    case "field":
      return values.flatMap((value) => (isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : []));
    case "every":
      return values.flatMap(childrenOf);
    case "descend":
      return values.flatMap(withDescendants);
    case "index":
      return values.flatMap((value) => (isNothing(value) ? [] : [at(listOf(value), step.at)]));
    case "slice":
      return values.flatMap((value) => (isNothing(value) ? [] : slice(listOf(value), step)));
    case "union":
      return step.paths.flatMap((path) => path.reduce((found, one) => take(one, found), values));
    case "exists":
      return values.flatMap((value) => listOf(value).filter((item) => valuesOf(step.path, item).length > 0));
    case "compare":
      return values.flatMap((value) => listOf(value).filter((item) => isMeant(step, item)));
  }
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

/** Lists and objects, each before what is in it; what has nothing in it is left out. */
function withDescendants(value: unknown): readonly unknown[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(withDescendants)];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid("jsonpath", "a list where the template has brackets", value);
}

function at(list: readonly unknown[], index: number): unknown {
  const place = index < 0 ? list.length + index : index;
  if (place >= 0 && place < list.length) return list[place];
  throw invalid("jsonpath", `an index below the length ${list.length}`, index);
}

function slice(list: readonly unknown[], { from, to, by }: Extract<Step, { kind: "slice" }>): readonly unknown[] {
  return list.slice(from ?? 0, to ?? list.length).filter((_, index) => index % by === 0);
}

function isMeant({ left, operator, right }: Extract<Step, { kind: "compare" }>, item: unknown): boolean {
  const [a, b] = [valuesOf(left, item), valuesOf(right, item)];
  if (a.length === 0 || b.length === 0) return false;
  if (a.length > 1 || b.length > 1) throw invalid("jsonpath", "one value on each side of a filter", [...a, ...b]);
  return compare(a[0], operator, b[0]);
}

function compare(a: unknown, operator: Extract<Step, { kind: "compare" }>["operator"], b: unknown): boolean {
  if (typeof a !== typeof b) throw invalid("jsonpath", `two values of one type around ${operator}`, [a, b]);
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  const [left, right] = [a as number, b as number];
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}
