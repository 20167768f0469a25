import { describe, expect, test } from "@jest/globals";
import { formatDuration, parseDuration } from "../../src/time.js";

describe("a duration", () => {
  test.each([
    { text: "0", seconds: 0 },
    { text: "0s", seconds: 0 },
    { text: "20s", seconds: 20 },
    { text: "1m0s", seconds: 60 },
    { text: "1h30m", seconds: 5_400 },
    { text: "1.5h", seconds: 5_400 },
    { text: "250ms", seconds: 0.25 },
    { text: "3us", seconds: 3e-6 },
    { text: "3µs", seconds: 3e-6 },
    { text: "4ns", seconds: 4e-9 },
    { text: `${"0".repeat(63)}s`, seconds: 0 },
  ])("$text is $seconds s", ({ text, seconds }) => expect(parseDuration(text)).toBeCloseTo(seconds, 12));

  test.each(["", "1", "s", "1d", "1s ", " 1s", "-1s", ".5s", "1.s", "1s2", `${"0".repeat(64)}s`])(
    "'%s' is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test.each([
    { seconds: 0, text: "0s" },
    { seconds: 1, text: "1s" },
    { seconds: 20, text: "20s" },
    { seconds: 59.5, text: "59.5s" },
    { seconds: 60, text: "1m0s" },
    { seconds: 300, text: "5m0s" },
    { seconds: 3_600, text: "1h0m0s" },
    { seconds: 3_725, text: "1h2m5s" },
    { seconds: 0.25, text: "250ms" },
    { seconds: 0.001, text: "1ms" },
    { seconds: 0.000_25, text: "250µs" },
    { seconds: 0.000_001, text: "1µs" },
    { seconds: 0.000_000_25, text: "250ns" },
  ])("$seconds s is written $text", ({ seconds, text }) => expect(formatDuration(seconds)).toBe(text));
});
