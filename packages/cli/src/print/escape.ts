/** Text that others wrote (manifests, containers, plugins) must not steer the reader's terminal. Pure. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for; newline and tab lay text out.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Control characters in print: ESC as `^[` and CR as `\r`, as kubectl's WriteEscaped does; the others alike. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, (found) => {
    const code = found.charCodeAt(0);
    if (found === "\r") return "\\r";
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\u00${code.toString(16)}`;
  });
}

/** Text of others within one line: a line break in it cannot begin a line of its own, which would look like the agent's. */
export function oneLine(text: string): string {
  return escapeControls(text.replaceAll("\n", "\\n"));
}

/** Text of several lines in a log: all but the first are set in, so that none looks like a new entry. */
export function setIn(text: string): string {
  return escapeControls(text).replace(/\n(?=.)/g, "\n    ");
}
