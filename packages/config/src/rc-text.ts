/** rc files as text, in YAML and JSON: what is in them, where each value stands, and what is wrong with the text. */
import { endAtFirstError } from "@hooklet/manifest";
import {
  Composer,
  type CST,
  type Document,
  isCollection,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
} from "yaml";
import type { Path } from "./faults/faults.js";

/** A text that is invalid for its format. */
export class TextFault extends Error {
  constructor(
    readonly expected: string,
    message: string,
    readonly position?: Position,
  ) {
    super(message);
  }
}

/** Limit for the expansion of aliases; more is an attack. */
const MAX_ALIASES = 100;
/** Far deeper than any configuration; the library's tree is built by recursion. */
const MAX_DEPTH = 64;

/**
 * One YAML document; an empty text is undefined. Takes linear time for any text.
 * @param most words and signs, including blanks; each costs some microseconds
 * @throws TextFault
 */
export function parseYamlText(text: string, most = Number.POSITIVE_INFINITY): unknown {
  const lines = new LineCounter();
  const fault = (message: string, offset: number): TextFault => {
    const { line, col } = lines.linePos(offset);
    return new TextFault("YAML", message, { line, column: col });
  };
  const documents = [...documentsOf(text, lines, most, fault)];
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) throw fault(error.message, error.pos[0]);
    const key = keyFault(document);
    if (key !== undefined) throw fault(key.message, key.offset);
  }
  const [first, second] = documents;
  if (second !== undefined) throw new TextFault("one YAML document", `${documents.length} documents`);
  try {
    return first?.toJS({ maxAliasCount: MAX_ALIASES }) ?? undefined;
  } catch (error) {
    throw new TextFault("YAML", (error as Error).message);
  }
}

/** Ends at the first error: the library collects them all, in quadratic time. */
function* documentsOf(
  text: string,
  lineCounter: LineCounter,
  most: number,
  fault: (message: string, offset: number) => TextFault,
): Generator<Document.Parsed> {
  const parser = new Parser(lineCounter.addNewLine);
  // The library's check for duplicate keys takes quadratic time.
  const composer = new Composer({ lineCounter, prettyErrors: false, uniqueKeys: false });
  endAtFirstError(composer, (offset, message) => {
    throw fault(message, offset);
  });
  const compose = function* (tokens: Iterable<CST.Token>): Generator<Document.Parsed> {
    for (const token of tokens) {
      if (token.type === "error") throw fault(token.message, token.offset);
      yield* composer.next(token);
    }
  };
  let offset = 0;
  let words = 0;
  lineCounter.addNewLine(0);
  for (const source of new Lexer().lex(text)) {
    yield* compose(parser.next(source));
    offset += source.length;
    if (++words > most) throw fault(`more than ${most} words and signs`, offset);
    if (parser.stack.length > MAX_DEPTH) throw fault(`more than ${MAX_DEPTH} levels deep`, offset);
  }
  yield* compose(parser.end());
  yield* composer.end();
}

/** A duplicate key of a map, or a key that is a list or a map itself. */
function keyFault(document: Document.Parsed): { message: string; offset: number } | undefined {
  let found: { message: string; offset: number } | undefined;
  visit(document as unknown as Document, {
    Map(_, map) {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
        if (isCollection(key)) found = { message: "a key must be a plain word", offset };
        else if (isScalar(key) && keys.has(key.value)) found = { message: "Map keys must be unique", offset };
        if (found !== undefined) return visit.BREAK;
        if (isScalar(key)) keys.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const offset = /position (\d+)/.exec(message)?.[1];
    // V8's message quotes the text, and the file may be confidential.
    const problem = message.replace(/, (\.{3})?".*is not valid JSON$/s, "");
    throw new TextFault("JSON", problem, offset === undefined ? undefined : positionAt(text, Number(offset)));
  }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export interface Position {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Finds values in a text by their path. */
export type Locate = (path: Path) => Position | undefined;

export interface RcFile {
  /** Absolute. */
  readonly file: string;
  /** As it stands there, unchecked; an empty file is an empty object. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly locate: Locate;
}

/** Positions in YAML, and in JSON, which the same parser reads. A missing key is found at what should hold it. */
export function locateIn(text: string): Locate {
  const lines = new LineCounter();
  // Duplicate keys are checked separately, in less time.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const entries = indexed();
  return (path) => {
    let [node, found]: [Node | null, Node | null] = [document.contents, document.contents];
    // One way down: a path may have thousands of steps.
    for (const step of path) {
      const entry = node === null ? undefined : entries(node).get(String(step));
      if (entry === undefined) break;
      if (entry.at.range) found = entry.at;
      node = isNode(entry.value) ? entry.value : null;
    }
    if (!found?.range) return undefined;
    const { line, col } = lines.linePos(found.range[0]);
    return { line, column: col };
  };
}

/** What stands at one step below a node: of an item `at` is its value as well. */
interface Entry {
  readonly at: Node;
  readonly value: unknown;
}

type Entries = (node: Node) => ReadonlyMap<string, Entry>;

/** Looks through each collection once, however many faults stand in it. Of two entries of one name the first counts. */
function indexed(): Entries {
  const known = new Map<Node, ReadonlyMap<string, Entry>>();
  return (node) => {
    const entries = known.get(node) ?? entriesOf(node);
    known.set(node, entries);
    return entries;
  };
}

function entriesOf(node: Node): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  const items = "items" in node ? (node.items as readonly unknown[]) : [];
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null) continue;
    const isPair = "key" in item;
    const { key, value } = item as { key?: unknown; value?: unknown };
    const at = isPair ? key : item;
    if (!isNode(at)) continue;
    const name = isPair ? String("value" in at ? at.value : "") : String(index);
    if (!found.has(name)) found.set(name, { at, value: isPair ? value : item });
  }
  return found;
}
