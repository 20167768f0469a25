import { LineCounter, parseAllDocuments } from "yaml";
import type { Position } from "./locate.js";

/** A text that is not what its format asks for. */
export class TextFault extends Error {
  constructor(
    readonly expected: string,
    message: string,
    readonly position?: Position,
  ) {
    super(message);
  }
}

/** Aliases may stand for other parts this many times; more is a bomb. */
const MAX_ALIASES = 100;

/** One YAML document. An empty text is undefined. */
export function parseYamlText(text: string): unknown {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  if ("empty" in documents) return undefined;
  const [first, second] = documents;
  const [error] = documents.flatMap((document) => document.errors);
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new TextFault("YAML", error.message, { line, column: col });
  }
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
    throw new TextFault("JSON", message, offset === undefined ? undefined : positionAt(text, Number(offset)));
  }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
