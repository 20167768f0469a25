/** Texts as Go's strconv.Quote writes them. Pure. */

const NAMED: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** Letters, marks, numbers, punctuation, symbols and the plain space are written as they are (Go's unicode.IsPrint). */
const PRINTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function goQuote(text: string): string {
  return `"${[...text].map(quoted).join("")}"`;
}

function quoted(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  if (PRINTED.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  // Half of a pair is no character; Go has read U+FFFD in its place.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
