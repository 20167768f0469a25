/** From the text of a template to what it asks for. Pure. */
import { invalid } from "@hooklet/utils";
import { parsePath } from "./parse-path.js";
import type { Block } from "./syntax.js";

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
