/** rc files as text, in YAML and JSON: what is in them, where each value stands, and what is wrong with the text. */
import { composedDocuments, offsetFinder, type TextFault as YamlFault } from "@hooklet/manifest";
import { type Document, LineCounter, parseDocument } from "yaml";
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

/**
 * One YAML document; an empty text is undefined. Takes linear time for any text.
 * @param mostTokens words and signs, including blanks; each costs some microseconds
 * @throws TextFault
 */
export function parseYamlText(text: string, mostTokens = Number.POSITIVE_INFINITY): unknown {
  const lines = new LineCounter();
  const fail = ({ problem, offset }: YamlFault): never => {
    const { line, col } = lines.linePos(offset);
    throw new TextFault("YAML", problem, { line, column: col });
  };
  const documents: Document.Parsed[] = [];
  for (const document of composedDocuments(text, { lines, mostTokens, fail })) if (document) documents.push(document);
  const [first, second] = documents;
  if (second !== undefined) throw new TextFault("one YAML document", `${documents.length} documents`);
  try {
    return first?.toJS({ maxAliasCount: MAX_ALIASES }) ?? undefined;
  } catch (error) {
    throw new TextFault("YAML", (error as Error).message);
  }
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
  const offsetOf = offsetFinder(parseDocument(text, { lineCounter: lines, uniqueKeys: false }));
  return (path) => {
    const offset = offsetOf(path);
    if (offset === undefined) return undefined;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}
