/** Text that others wrote (manifests, containers, plugins) must not steer the reader's terminal. Pure. */

// Newline and tab lay text out. The last two ranges turn the direction of writing: what is read is not what is there.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Control characters in print: ESC as `^[` and CR as `\r`, as kubectl's WriteEscaped does; the others alike. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, (found) => {
    const code = found.charCodeAt(0);
    if (found === "\r") return "\\r";
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : codePoint(code);
  });
}

function codePoint(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** JSON text with what a terminal would obey, and JSON lets through, as escapes: the same value. */
export function quietJson(json: string): string {
  return json.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (found) => codePoint(found.charCodeAt(0)));
}

/** Text of others within one line: a line break in it cannot begin a line of its own, which would look like the agent's. */
export function oneLine(text: string): string {
  return escapeControls(text.replaceAll("\n", "\\n"));
}

/** Text of several lines in a log: all but the first are set in, so that none looks like a new entry. */
export function setIn(text: string): string {
  return escapeControls(text).replace(/\n(?=.)/g, "\n    ");
}
