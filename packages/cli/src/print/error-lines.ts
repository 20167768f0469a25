/** Which of a log's last lines say what went wrong. Pure. */

const FRAME = /^\s+at \S/;
const NODE_VERSION = /^Node\.js v\d+\.\d+\.\d+$/;
/** What a program that dies by an error writes below the error's frames: its fields, and Node's version. */
const BELOW = /^(?:\s.*|\}?|Node\.js v\d+\.\d+\.\d+)$/;
const HEADING = /^(?:Uncaught |Caused by: )?[\w$.]*(?:Error|Exception)\b/;

/** So many lines more than are wanted, for a stack among them. */
export const STACK_LINES = 40;

/**
 * The last lines. The frames of a stack, and what Node writes below it, give way to the line that names its error: that one comes first
 * where the program said nothing else behind its last stack.
 */
export function errorLines(all: readonly string[], count: number): readonly string[] {
  if (!all.some((line) => FRAME.test(line))) return all.slice(-count);
  const kept = all.filter((line) => line.trim() !== "" && !FRAME.test(line) && !NODE_VERSION.test(line));
  const heading = kept.findLastIndex((line) => HEADING.test(line));
  const first = Math.max(0, kept.length - count);
  const behind = all.slice(all.findLastIndex((line) => FRAME.test(line)) + 1);
  if (heading < 0 || heading >= first || !behind.every((line) => BELOW.test(line))) return kept.slice(first);
  return [kept[heading] ?? "", ...kept.slice(first + 1)];
}
