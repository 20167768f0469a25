/** Pure. */
import { isNativeError } from "node:util/types";

/** The text of anything that was thrown. Never throws, whatever the thing does when it is asked for its text. */
export function errorText(error: unknown): string {
  try {
    const text: unknown = isNativeError(error) || error instanceof Error ? error.message : error;
    return String(text);
  } catch {
    return "something that has no text";
  }
}
