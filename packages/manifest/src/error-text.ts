/** Pure. */

import { isNativeError } from "node:util/types";
import { distance } from "fastest-levenshtein";

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

/** The known names that a misspelt one may have meant, nearest first; at most three, none that is merely as long. */
export function nearest(name: string, known: Iterable<string>): readonly string[] {
  const lower = name.slice(0, 256).toLowerCase();
  // Two letters that changed places are two edits.
  const bound = lower.length <= 3 ? 1 : lower.length <= 7 ? 2 : 3;
  return [...new Set(known)]
    .map((candidate) => ({ candidate, away: awayFrom(lower, candidate.toLowerCase()) }))
    .filter(({ away }) => away <= bound)
    .sort((a, b) => a.away - b.away || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** A name that begins as the other does counts as near: users leave out the end of long names. */
function awayFrom(name: string, candidate: string): number {
  if (name.length >= 3 && candidate.startsWith(name)) return 1;
  return Math.abs(name.length - candidate.length) > 3 ? Number.POSITIVE_INFINITY : distance(name, candidate);
}

/** ` Did you mean "a" or "b"?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  return ` Did you mean ${names.map((name) => JSON.stringify(name)).join(" or ")}?`;
}
