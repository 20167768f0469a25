/** Output formats of `get` and `events`. Pure. */
export const FORMATS = ["wide", "name", "json", "yaml", "jsonpath", "custom-columns"] as const;

/** As help and completion show them: two take something behind a `=`. */
export const FORMAT_WORDS: readonly string[] = FORMATS.map(
  (format) => ({ jsonpath: "jsonpath=TEMPLATE", "custom-columns": "custom-columns=SPEC" })[format as string] ?? format,
);
