import { expect, test } from "@jest/globals";
import { codeOf, packageSources } from "../../sources.js";

const CLOCK = "packages/utils/src/clock.ts";
/** What reads or uses the machine's time behind the clock's back. */
const BANNED =
  /\b(Date\.now|setTimeout|setInterval|performance\.now|process\.hrtime|AbortSignal\.timeout)\b|\bnew Date\(\)|["']node:timers/;

test("time comes from the clock alone", () => {
  const wrong = packageSources()
    .filter((file) => file.path !== CLOCK)
    .flatMap((file) =>
      codeOf(file.text)
        .split("\n")
        .filter((line) => BANNED.test(line))
        .map((line) => `${file.path}: ${line.trim()}`),
    );
  expect(wrong).toEqual([]);
});
