/** Settings of any text: a threshold that means something, or an error that names what is wrong. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isHard, parseGoDuration, parseThresholdConfig } from "../../../src/internal.js";
import { noSettings } from "../pods.js";

const digits = fc.stringMatching(/^[+-]?\d{0,25}(\.\d{0,12})?$/);
const suffix = fc.constantFrom(
  "",
  "%",
  "%%",
  "Ki",
  "Mi",
  "Gi",
  "Ei",
  "k",
  "M",
  "E",
  "m",
  "n",
  "u",
  "e3",
  "E-9",
  "e99999",
  "K",
  "s",
  "h",
  "NaN%",
  "Inf%",
);
const text = fc.oneof(
  fc.string({ maxLength: 64 }),
  fc.tuple(digits, suffix).map(([number, unit]) => `${number}${unit}`),
);
const duration = fc.oneof(
  text,
  fc
    .array(fc.tuple(digits, fc.constantFrom("ns", "us", "µs", "ms", "s", "m", "h", "d")), { maxLength: 4 })
    .map((parts) => parts.flat().join("")),
);

/** The answer, or the words of an Error; anything else that is thrown fails the test. */
function answer<T>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    expect(error.message).not.toBe("");
    return error.message;
  }
}

test("a threshold is no less than nothing and no more than the whole", () => {
  fc.assert(
    fc.property(text, text, (value, reclaim) => {
      const settings = {
        ...noSettings,
        evictionHard: { "memory.available": value },
        evictionMinimumReclaim: { "memory.available": reclaim },
      };
      const thresholds = answer(() => parseThresholdConfig(settings));
      if (typeof thresholds === "string") return;
      for (const { value: parsed, minReclaim } of thresholds) {
        if ("percentage" in parsed) {
          // "0%" is no threshold; "0.0%" and "0%%" are ones of nothing, as the kubelet takes them.
          expect(parsed.percentage).toBeGreaterThanOrEqual(0);
          expect(parsed.percentage).toBeLessThanOrEqual(1);
        } else expect(parsed.quantity.nano > 0n).toBe(true);
        if (minReclaim === undefined) continue;
        if ("percentage" in minReclaim) expect(Number.isFinite(minReclaim.percentage)).toBe(true);
        else expect(minReclaim.quantity.nano >= 0n).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a grace period is a finite while, never before now", () => {
  fc.assert(
    fc.property(duration, (grace) => {
      const soft = {
        evictionSoft: { "memory.available": "1Gi" },
        evictionSoftGracePeriod: { "memory.available": grace },
      };
      const thresholds = answer(() => parseThresholdConfig({ ...noSettings, ...soft }));
      if (typeof thresholds === "string") return;
      const [threshold] = thresholds;
      expect(Number.isFinite(threshold?.gracePeriodSeconds)).toBe(true);
      expect(threshold?.gracePeriodSeconds).toBeGreaterThanOrEqual(0);
      expect(threshold && isHard(threshold)).toBe(threshold?.gracePeriodSeconds === 0);
    }),
    { numRuns: 2_000 },
  );
});

test("a duration of any length is read in time", () => {
  expect(answer(() => parseGoDuration("1".repeat(1_000_000)))).toContain("time: invalid duration");
});
