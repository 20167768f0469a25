/** YAML texts as documents of the library, within bounds and in linear time: what rc files and manifests share. */
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isNode,
  isScalar,
  Lexer,
  type LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  visit,
} from "yaml";
import { endAtFirstError } from "./first-error.js";

/** Far deeper than any configuration or object of Kubernetes: the library's tree is built by recursion. */
export const MAX_DEPTH = 64;
/** Words and signs between two breaths for the rest of the agent: about 20 ms. */
const SLICE = 20_000;

/** Where and why a text is wrong. */
export interface TextFault {
  readonly problem: string;
  readonly offset: number;
}

export interface ReadOptions extends Omit<ParseOptions & DocumentOptions & SchemaOptions, "uniqueKeys"> {
  readonly lines: LineCounter;
  /** Words and signs, including blanks; each costs some microseconds. */
  readonly mostTokens: number;
  /** Throws; it is called for the first fault. */
  readonly fail: (fault: TextFault) => never;
}

/**
 * The documents of a text, and undefined from time to time, for the caller to let others work. It ends at the first error: the library
 * collects them all, in quadratic time.
 */
export function* composedDocuments(text: string, options: ReadOptions): Generator<Document.Parsed | undefined> {
  const { lines, mostTokens, fail, ...rest } = options;
  const parser = new Parser(lines.addNewLine);
  // The library's own check of duplicate keys takes quadratic time.
  const composer = new Composer({ ...rest, lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  endAtFirstError(composer, (offset, problem) => fail({ problem, offset }));
  const compose = function* (tokens: Iterable<CST.Token>): Generator<Document.Parsed> {
    for (const token of tokens) {
      if (token.type === "error") fail({ problem: token.message, offset: token.offset });
      yield* checked(composer.next(token), fail);
    }
  };
  let offset = 0;
  let count = 0;
  lines.addNewLine(0);
  for (const source of new Lexer().lex(text)) {
    yield* compose(parser.next(source));
    offset += source.length;
    // Before the tree is built: building it recurses.
    if (parser.stack.length > MAX_DEPTH) fail({ problem: `more than ${MAX_DEPTH} levels deep`, offset });
    if (++count > mostTokens) fail({ problem: `more than ${mostTokens} words and signs; split the file up`, offset });
    if (count % SLICE === 0) yield undefined;
  }
  yield* compose(parser.end());
  yield* checked(composer.end(), fail);
}

function* checked(documents: Iterable<Document.Parsed>, fail: ReadOptions["fail"]): Generator<Document.Parsed> {
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) fail({ problem: error.message, offset: error.pos[0] });
    const bad = badKey(document);
    if (bad !== undefined) fail(bad);
    yield document;
  }
}

/** A key that is there twice, or that is a list or a map. */
function badKey(document: Document.Parsed): TextFault | undefined {
  let bad: TextFault | undefined;
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

/** The library turns a `<<` that merges into a symbol. */
export function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false;
  return (typeof key.value === "symbol" ? key.value.description : key.value) === "<<";
}

/** The offset of what stands at the deepest part of the path that exists: of an entry its key. */
export type FindOffset = (path: readonly (string | number)[]) => number | undefined;

/** Looks through each collection once, however many paths are asked for. Of two entries of one name the first counts. */
export function offsetFinder(document: Document.Parsed): FindOffset {
  const known = new Map<Node, ReadonlyMap<string, Entry>>();
  const entries = (node: Node): ReadonlyMap<string, Entry> => {
    const found = known.get(node) ?? entriesOf(node);
    known.set(node, found);
    return found;
  };
  return (path) => {
    let node: Node | null = document.contents;
    let offset = node?.range?.[0];
    for (const step of path) {
      const entry = node === null ? undefined : entries(node).get(String(step));
      if (entry === undefined) break;
      offset = entry.at.range?.[0] ?? offset;
      node = isNode(entry.value) ? entry.value : null;
    }
    return offset;
  };
}

/** What stands at one step below a node: of an item `at` is its value as well. */
interface Entry {
  readonly at: Node;
  readonly value: unknown;
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
