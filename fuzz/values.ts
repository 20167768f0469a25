/** Values that nobody expects. The library's own are sampled once, with a seed of their own: the same in every run. */
import fc from "fast-check";

const WRITTEN: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -0.5,
  2 ** 31,
  2 ** 53,
  "",
  " ",
  "\u0000",
  "\n",
  "\u2028\ud800",
  "ÿĀ",
  "../../etc/passwd",
  "/proc/self/mem",
  "9223372036854775808",
  "1e999",
  "0x10",
  "NaN",
  "100m",
  "1Ei1",
  "$(A)$(B)$$(C)",
  "$(((((",
  "metadata.labels['a']",
  "__proto__",
  "constructor",
  "a".repeat(300),
  "[::1]:99999",
  "http://user:secret@host/%zz",
  [],
  {},
  [[[[[[[[]]]]]]]],
  { __proto__: null, toString: 1 },
];

export const ODD_VALUES: readonly unknown[] = [
  ...WRITTEN,
  ...fc.sample(fc.jsonValue({ maxDepth: 3 }), { numRuns: 200, seed: 13 }),
  ...fc.sample(fc.string({ unit: "binary", maxLength: 40 }), { numRuns: 100, seed: 13 }),
];

/** As bytes: what texts are cut open for. */
export const ODD_TOKENS: readonly Buffer[] = [
  ...ODD_VALUES.filter((value) => typeof value === "string"),
  ...["\r\n", "\r\n\r\n", "\t", ": ", "- ", "? ", "| ", "&a ", "*a", "<<: *a\n", "---\n", "...\n", "%YAML 9\n", "!!js/function "],
  ...["{", "}", "[", "]", '"', "'", ",", "#", "\\", "%00", "%", "&", "=", ";", "0", "-1", "99999999999999999999", "1e400"],
].map((text) => Buffer.from(text));
