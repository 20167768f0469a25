/** What differs between an expected and an actual answer, place by place. */
import { isRecord } from "./vector-file.js";

/** One line per place that differs; none when both are the same JSON. Order of keys plays no part. */
export function differences(expected: unknown, actual: unknown, place = ""): string[] {
  if (Object.is(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, i) => differences(expected[i], actual[i], `${place}[${i}]`)).flat();
  }
  if (isRecord(expected) && isRecord(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => differences(expected[key], actual[key], place === "" ? key : `${place}.${key}`));
  }
  return [`${place || "answer"}: expected ${text(expected)}, got ${text(actual)}`];
}

function text(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

/** JSON with sorted keys: the same text for the same value. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
