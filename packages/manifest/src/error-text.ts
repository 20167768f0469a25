/** Pure. */
import { isNativeError } from "node:util/types";

/** Longest text in characters: it is kept in events, statuses and logs. */
const MAX = 64 * 1024;

/** The text of a thrown value, of bounded length. Never throws, even if reading the value does. */
export function errorText(error: unknown): string {
  try {
    const text: unknown = isNativeError(error) || error instanceof Error ? error.message : error;
    return boundedText(String(text));
  } catch {
    return "something that has no text";
  }
}

/** The beginning of a text that is too long, and how much is left out. */
export function boundedText(text: string): string {
  return text.length <= MAX ? text : `${text.slice(0, MAX)}... (${text.length - MAX} characters more)`;
}
