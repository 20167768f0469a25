/** Paths of a template: `.items[*].metadata.name`, `@.type=="Ready"`, `'text'`. Pure. */
import { OPERATORS, type Operator, type Path, type Step } from "./syntax.js";

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
