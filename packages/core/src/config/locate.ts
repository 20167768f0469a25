import { isNode, LineCounter, type Node, parseDocument } from "yaml";
import type { Path } from "../faults/faults.js";

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
  // That no key is there twice has been looked at, in less time.
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
