/** From the text of a template to what it asks for. Pure. */

import { invalid } from "@hooklet/utils";

/** What stands in braces, and the text between. */
type Piece = { readonly kind: "text"; readonly text: string } | { readonly kind: "action"; readonly text: string };

/** @throws NodeAgentError INVALID naming what is wrong in the template */
export function parseTemplate(template: string): readonly Block[] {
  const fail = (expected: string): Error => invalid("jsonpath", expected, template);
  const open: { readonly path: ReturnType<typeof parsePath>; readonly body: Block[] }[] = [];
  const all: Block[] = [];
  const here = (): Block[] => open.at(-1)?.body ?? all;
  for (const piece of pieces(template, fail)) {
    const text = piece.text.trim();
    if (piece.kind === "text") here().push(piece);
    else if (text === "end") {
      const ended = open.pop();
      if (ended === undefined) throw fail("{end} only behind a {range PATH}");
      here().push({ kind: "range", ...ended });
    } else if (/^range\s/.test(text)) {
      open.push({ path: parsePath(text.slice("range".length).trim(), fail), body: [] });
    } else here().push({ kind: "values", path: parsePath(text, fail) });
  }
  if (open.length > 0) throw fail("an {end} for each {range PATH}");
  return all;
}

/** Braces within quotes are the quoted text's own. */
function pieces(template: string, fail: (expected: string) => Error): readonly Piece[] {
  const found: Piece[] = [];
  let at = 0;
  while (at < template.length) {
    const begin = template.indexOf("{", at);
    if (begin !== at) found.push({ kind: "text", text: template.slice(at, begin === -1 ? undefined : begin) });
    if (begin === -1) break;
    const end = endOfAction(template, begin + 1);
    if (end === -1) throw fail("a } for each {");
    found.push({ kind: "action", text: template.slice(begin + 1, end) });
    at = end + 1;
  }
  return found;
}

function endOfAction(template: string, begin: number): number {
  let quote: string | undefined;
  for (let at = begin; at < template.length; at += 1) {
    const character = template.charAt(at);
    if (character === "\\") at += 1;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === "}") return at;
  }
  return -1;
}

// Paths of a template: `.items[*].metadata.name`, `@.type=="Ready"`, `'text'`.

type Fail = (expected: string) => Error;

/** What ends the name of a field, unless a \ stands before it. */
const ENDS = /[\s.,[\]$@{}]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?/;

/** @throws what `fail` makes of what was expected */
export function parsePath(text: string, fail: Fail): Path {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const character = rest.charAt(0);
    const number = NUMBER.exec(rest)?.[0];
    if (/[\s@$]/.test(character)) at += 1;
    else if (character === '"' || character === "'") {
      const end = quoteEnd(text, at, fail);
      steps.push({ kind: "literal", value: unquoted(text.slice(at + 1, end)) });
      at = end + 1;
    } else if (character === "[") {
      const end = bracketEnd(text, at, fail);
      steps.push(...inBrackets(text.slice(at + 1, end).trim(), fail));
      at = end + 1;
    } else if (rest.startsWith("..")) {
      // Dots beyond two change nothing.
      if (steps.at(-1)?.kind === "descend") throw fail("no more than one .. in a row");
      steps.push({ kind: "descend" });
      at += 2;
      if (text.charAt(at) !== "" && !ENDS.test(text.charAt(at))) at = field(text, at, steps);
    } else if (character === ".") at = field(text, at + 1, steps);
    else if (number !== undefined) {
      steps.push({ kind: "literal", value: Number(number) });
      at += number.length;
    } else {
      const word = /^[\p{L}\p{N}_-]+/u.exec(rest)?.[0];
      if (word !== "true" && word !== "false")
        throw fail(`a path such as .metadata.name; unrecognized identifier ${word ?? character}`);
      steps.push({ kind: "literal", value: word === "true" });
      at += word.length;
    }
  }
  return steps;
}

function field(text: string, begin: number, steps: Step[]): number {
  let at = begin;
  while (at < text.length && !ENDS.test(text.charAt(at))) at += text.charAt(at) === "\\" ? 2 : 1;
  const name = text.slice(begin, at);
  if (name === "*") steps.push({ kind: "every" });
  else if (name !== "") steps.push({ kind: "field", name: name.replaceAll("\\", "") });
  return at;
}

/** `*`, `0`, `1:3`, `'key'`, `?(@.x==1)`, or several of them with commas between. */
function inBrackets(text: string, fail: Fail): Path {
  if (text.startsWith("?(") && text.endsWith(")")) return [filter(text.slice(2, -1), fail)];
  const parts = atCommas(text);
  if (parts.length > 1) return [{ kind: "union", paths: parts.map((part) => inBrackets(part.trim(), fail)) }];
  if (text === "*") return [{ kind: "slice", from: undefined, to: undefined, by: 1 }];
  const key = /^(['"])(.*)\1$/s.exec(text)?.[2];
  // As in kubectl, a key in quotes may be a path of its own.
  if (key !== undefined) return parsePath(`.${key}`, fail);
  const slice = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(text);
  if (slice !== null) {
    const by = Number(slice[3] || "1");
    if (by === 0) throw fail("a step of 1 or more in a slice");
    return [{ kind: "slice", from: bound(slice[1]), to: bound(slice[2]), by }];
  }
  if (!/^-?\d+$/.test(text)) throw fail(`an index, a slice, a 'key' or a ?(filter) in brackets; ${text} is none`);
  return [{ kind: "index", at: Number(text) }];
}

function bound(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}

function filter(text: string, fail: Fail): Step {
  const found = /^([^!<>=~]+)([!<>=~]+)(.+)$/s.exec(text);
  if (found === null) return { kind: "exists", path: parsePath(text.trim(), fail) };
  const [, left = "", operator = "", right = ""] = found;
  if (!OPERATORS.includes(operator)) throw fail(`one of ${OPERATORS.join(" ")} in a filter; ${operator} is none`);
  return {
    kind: "compare",
    left: parsePath(left.trim(), fail),
    operator: operator as Operator,
    right: parsePath(right.trim(), fail),
  };
}

function atCommas(text: string): readonly string[] {
  return text.split(/,(?=(?:[^'"]*['"][^'"]*['"])*[^'"]*$)/);
}

function quoteEnd(text: string, begin: number, fail: Fail): number {
  const quote = text.charAt(begin);
  for (let at = begin + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  throw fail(`a closing ${quote}`);
}

/** Brackets nest in filters; those in quotes do not count. */
function bracketEnd(text: string, begin: number, fail: Fail): number {
  let depth = 0;
  for (let at = begin; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === '"' || character === "'") at = quoteEnd(text, at, fail);
    else if (character === "[") depth += 1;
    else if (character === "]") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw fail("a ] for each [");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "'": "'" };

function unquoted(text: string): string {
  return text.replace(/\\(.)/gs, (whole, character: string) => ESCAPES[character] ?? whole);
}

// Templates of `-o jsonpath`, in kubectl's dialect: https://kubernetes.io/docs/reference/kubectl/jsonpath/.

/** A template: text, values of paths, and parts that are repeated for each value of a path. */
export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "values"; readonly path: Path }
  | { readonly kind: "range"; readonly path: Path; readonly body: readonly Block[] };

/** Steps from the current object; each takes the values of the one before. */
export type Path = readonly Step[];

export type Step =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "every" }
  | { readonly kind: "descend" }
  | { readonly kind: "index"; readonly at: number }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: "union"; readonly paths: readonly Path[] }
  | { readonly kind: "exists"; readonly path: Path }
  | { readonly kind: "compare"; readonly left: Path; readonly operator: Operator; readonly right: Path };

type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

const OPERATORS: readonly string[] = ["==", "!=", "<=", ">=", "<", ">"] satisfies Operator[];
