/** YAML and JSON texts into plain values, within bounds: no text can stall or kill the agent. */

import { type Document, isAlias, isMap, isSeq, LineCounter, parseDocument } from "yaml";
import { ManifestError } from "./error.js";
import { errorText } from "./error-text.js";
import { composedDocuments, isMergeKey, MAX_DEPTH, offsetFinder, type TextFault } from "./yaml-document.js";

const MAX_DOCUMENTS = 10_000;
/** A dense 5 MB manifest has 2.4 million. */
const MAX_TOKENS = 5_000_000;
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
  const fail = ({ problem, offset }: TextFault): never => {
    const [text = problem] = problem.split(/ at line \d+, column \d+:?\n?/);
    throw new ManifestError(where, [{ line: lines.linePos(offset).line || 1, message: text.trim() }]);
  };
  const composed = composedDocuments(text, {
    lines,
    mostTokens: MAX_TOKENS,
    fail,
    version: "1.1",
    merge: true,
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isForeign(tag)),
  });
  for (const document of composed) {
    if (document === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const merged = tooMuchMerged(document);
    if (merged !== undefined) fail(merged);
    const value = plainValue(document, where, lines);
    if (value !== null && value !== undefined) documents.push({ value, lineOf: lineFinder(document, lines) });
    if (documents.length > MAX_DOCUMENTS) {
      throw new ManifestError(where, [{ message: `more than ${MAX_DOCUMENTS} documents; split the file up` }]);
    }
  }
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

function plainValue(document: Document.Parsed, where: string, lines: LineCounter): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    const line = lines.linePos(document.range[0]).line;
    throw new ManifestError(where, [{ line, message: errorText(error) }]);
  }
}

/** Merge keys are outside of the library's own count of aliases. */
function tooMuchMerged(document: Document.Parsed): TextFault | undefined {
  const sizes = new Map<string, number>();
  const open: { readonly anchor: string | undefined; size: number }[] = [];
  let aliases = 0;
  let merged = 0;
  let fault: TextFault | undefined;
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

function lineFinder(document: Document.Parsed, lines: LineCounter): TextDocument["lineOf"] {
  const offsetOf = offsetFinder(document);
  return (path) => {
    const offset = offsetOf(path);
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
}
