/** YAML and JSON texts into plain values, within bounds: no text can stall or kill the agent. */

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  parseDocument,
  visit,
} from "yaml";
import { ManifestError } from "./error.js";
import { errorText } from "./error-text.js";
import { endAtFirstError } from "./first-error.js";

/** Kubernetes' own objects are about a dozen levels deep. */
const MAX_DEPTH = 64;
const MAX_DOCUMENTS = 10_000;
/** A dense 5 MB manifest has 2.4 million. */
const MAX_TOKENS = 5_000_000;
/** Tokens between two breaths for the rest of the agent: about 20 ms. */
const SLICE = 20_000;
/** How often aliases may multiply their content. */
const MAX_ALIASES = 1_000;
/** Keys that all `<<` of a document may bring in, one into the other. */
const MAX_MERGED_KEYS = 100_000;
/** JSON up to this size is scanned for duplicate keys, and its lines are known. */
const SMALL_JSON = 256 * 1024;
/** A string of JSON, with the colon behind it where it is a key. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

export interface TextDocument {
  readonly value: unknown;
  /** Line (from 1) of the deepest part of the path that exists. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Empty documents are left out. Throws ManifestError. */
export async function readDocuments(text: string, where: string): Promise<readonly TextDocument[]> {
  const json = jsonDocument(text);
  if (json !== undefined) return [json];
  const lines = new LineCounter();
  const documents: TextDocument[] = [];
  const composer = new Composer<never>({
    version: "1.1",
    merge: true,
    // Its own check takes quadratic time; `badKey` does it.
    uniqueKeys: false,
    lineCounter: lines,
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isForeign(tag)),
  });
  const endAt = (offset: number, message: string): never => {
    throw broken(where, lines, offset, message);
  };
  endAtFirstError(composer, endAt);
  const take = (document: Document.Parsed): void => {
    const value = plainValue(document, where, lines);
    if (value !== null && value !== undefined) documents.push({ value, lineOf: lineFinder(document, lines) });
    if (documents.length > MAX_DOCUMENTS) {
      throw new ManifestError(where, [{ message: `more than ${MAX_DOCUMENTS} documents; split the file up` }]);
    }
  };
  for await (const token of tokens(text, where, lines)) {
    for (const document of composer.next(token)) take(document);
  }
  for (const document of composer.end()) take(document);
  return documents;
}

/** Undefined: it is to be read as YAML, which finds the line of what is wrong, or is in order for braces of YAML's own kind. */
function jsonDocument(text: string): TextDocument | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (text.length > SMALL_JSON) return { value, lineOf: () => undefined };
  // A duplicate key is one in the value.
  if (keysIn(value, 1) !== keysOf(text)) return undefined;
  let lineOf: TextDocument["lineOf"] | undefined;
  return {
    value,
    lineOf: (path) => {
      if (lineOf === undefined) {
        const lines = new LineCounter();
        lineOf = lineFinder(parseDocument(text, { lineCounter: lines, uniqueKeys: false }), lines);
      }
      return lineOf(path);
    },
  };
}

/** NaN where it is too deep. */
function keysIn(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > MAX_DEPTH) return Number.NaN;
  const parts = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + keysIn(part, depth + 1), Array.isArray(value) ? 0 : parts.length);
}

function keysOf(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(JSON_STRING)) if (colon !== undefined) count += 1;
  return count;
}

/** Times, base 60 numbers, sets and bytes are strings to Kubernetes' YAML. */
function isForeign(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.format === "TIME" || /:(timestamp|binary|omap|pairs|set)$/.test(tag.tag);
}

async function* tokens(text: string, where: string, lines: LineCounter): AsyncGenerator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let offset = 0;
  let count = 0;
  const found = function* (parts: Iterable<CST.Token>): Generator<CST.Token> {
    for (const part of parts) {
      if (part.type === "error") throw broken(where, lines, part.offset, part.message);
      yield part;
    }
  };
  lines.addNewLine(0);
  for (const source of new Lexer().lex(text)) {
    yield* found(parser.next(source));
    offset += source.length;
    // Before the tree is built: building it recurses.
    if (parser.stack.length > MAX_DEPTH) {
      throw new ManifestError(where, [
        { line: lines.linePos(offset).line, message: `more than ${MAX_DEPTH} levels deep` },
      ]);
    }
    if (++count > MAX_TOKENS) throw new ManifestError(where, [{ message: "too many parts; split the file up" }]);
    if (count % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  yield* found(parser.end());
}

function plainValue(document: Document.Parsed, where: string, lines: LineCounter): unknown {
  const [error] = document.errors;
  if (error !== undefined) throw broken(where, lines, error.pos[0], error.message);
  const bad = badKey(document) ?? tooMuchMerged(document);
  if (bad !== undefined) throw broken(where, lines, bad.offset, bad.problem);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    const line = lines.linePos(document.range[0]).line;
    throw new ManifestError(where, [{ line, message: errorText(error) }]);
  }
}

interface Fault {
  readonly problem: string;
  readonly offset: number;
}

/** Merge keys are outside of the library's own count of aliases. */
function tooMuchMerged(document: Document.Parsed): Fault | undefined {
  const sizes = new Map<string, number>();
  const open: { readonly anchor: string | undefined; size: number }[] = [];
  let aliases = 0;
  let merged = 0;
  let fault: Fault | undefined;
  const close = (): void => {
    const map = open.pop();
    if (map?.anchor !== undefined) sizes.set(map.anchor, map.size);
  };
  const walk = (node: unknown): void => {
    if (fault !== undefined) return;
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES)
        fault = { problem: `more than ${MAX_ALIASES} aliases`, offset: node.range?.[0] ?? 0 };
    } else if (isSeq(node)) for (const item of node.items) walk(item);
    else if (isMap(node)) {
      const own = { anchor: node.anchor, size: node.items.length };
      open.push(own);
      for (const { key, value } of node.items) {
        walk(value);
        if (!isMergeKey(key)) continue;
        for (const source of isSeq(value) ? value.items : [value]) {
          if (!isAlias(source)) continue;
          const size = sizes.get(source.source) ?? 0;
          own.size += size;
          merged += size;
          const problem = `merge keys (<<) bring in more than ${MAX_MERGED_KEYS} keys`;
          if (merged > MAX_MERGED_KEYS) fault ??= { problem, offset: source.range?.[0] ?? 0 };
        }
      }
      close();
    }
  };
  walk(document.contents);
  return fault;
}

/** The library turns a `<<` that merges into a symbol. */
function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false;
  return (typeof key.value === "symbol" ? key.value.description : key.value) === "<<";
}

function badKey(document: Document.Parsed): Fault | undefined {
  let bad: Fault | undefined;
  visit(document as unknown as Document, {
    Map(_, map) {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (isMergeKey(key)) continue;
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name !== undefined && !keys.has(name)) keys.add(name);
        else {
          const problem =
            name === undefined ? "a key must be a plain word" : `the key ${JSON.stringify(name)} is there twice`;
          bad = { problem, offset: (isNode(key) ? key.range?.[0] : undefined) ?? 0 };
          return visit.BREAK;
        }
      }
      return undefined;
    },
  });
  return bad;
}

function lineFinder(document: Document.Parsed, lines: LineCounter): TextDocument["lineOf"] {
  return (path) => {
    let node: unknown = document.contents;
    let offset = document.contents?.range?.[0];
    for (const segment of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
        if (pair === undefined) break;
        offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(segment)] as { range?: readonly number[] | null } | undefined;
        if (item === undefined) break;
        offset = item.range?.[0] ?? offset;
        node = item;
      } else break;
    }
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
}

function broken(where: string, lines: LineCounter, offset: number, message: string): ManifestError {
  const [text = message] = message.split(/ at line \d+, column \d+:?\n?/);
  return new ManifestError(where, [{ line: lines.linePos(offset).line || 1, message: text.trim() }]);
}
