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
  return (path) => {
    for (let depth = path.length; depth >= 0; depth--) {
      const node = nodeAt(document.contents, path.slice(0, depth));
      if (node?.range) {
        const { line, col } = lines.linePos(node.range[0]);
        return { line, column: col };
      }
    }
    return undefined;
  };
}

function nodeAt(root: Node | null, path: Path): Node | undefined {
  if (root === null) return undefined;
  if (path.length === 0) return root;
  const [step, ...rest] = path;
  const items = "items" in root ? (root.items as readonly unknown[]) : [];
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object" || item === null) continue;
    if (!("key" in item)) {
      if (index === step && isNode(item)) return nodeAt(item, rest);
      continue;
    }
    const { key, value } = item as { key: unknown; value?: unknown };
    if (!isNode(key) || String("value" in key ? key.value : "") !== String(step)) continue;
    if (rest.length === 0) return key;
    return isNode(value) ? nodeAt(value, rest) : undefined;
  }
  return undefined;
}
