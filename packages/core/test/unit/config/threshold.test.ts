import { describe, expect, test } from "@jest/globals";
import {
  effectiveEvictionHard,
  parsePercentage,
  parseThreshold,
  thresholdQuantity,
} from "../../../src/config/threshold.js";

describe("a threshold", () => {
  test.each(["0%", "100%"])("%s switches the signal off", (text) => {
    expect(parseThreshold("memory.available", text)).toBeUndefined();
  });

  test.each([
    { text: "25%", value: { percentage: Math.fround(0.25) } },
    { text: "00%", value: { percentage: 0 } },
    { text: "100.0%", value: { percentage: 1 } },
  ])("$text is a share", ({ text, value }) => expect(parseThreshold("s", text)).toEqual(value));

  test.each([
    { text: "-1%", says: "eviction percentage threshold s must be >= 0%: -1%" },
    { text: "NaN%", says: "eviction percentage threshold s must be >= 0%: NaN%" },
    { text: "101%", says: "eviction percentage threshold s must be <= 100%: 101%" },
    { text: "inf%", says: "eviction percentage threshold s must be <= 100%: inf%" },
    { text: "0", says: "eviction threshold s must be positive: 0" },
    { text: "-1Mi", says: "eviction threshold s must be positive: -1Mi" },
    { text: "x%", says: 'strconv.ParseFloat: parsing "x": invalid syntax' },
    { text: "%", says: 'strconv.ParseFloat: parsing "": invalid syntax' },
    { text: ".%", says: 'strconv.ParseFloat: parsing ".": invalid syntax' },
    { text: "1 %", says: 'strconv.ParseFloat: parsing "1 ": invalid syntax' },
    { text: "1e39%", says: 'strconv.ParseFloat: parsing "1e39": value out of range' },
    { text: "-1e39%", says: 'strconv.ParseFloat: parsing "-1e39": value out of range' },
  ])("$text is refused in Go's words", ({ text, says }) => expect(() => parseThreshold("s", text)).toThrow(says));

  test("a text that is longer than any number is refused before it is read", () => {
    expect(parsePercentage(`${"0".repeat(256)}%`)).toBe(0);
    expect(() => parsePercentage(`${"0".repeat(257)}%`)).toThrow("invalid syntax");
  });

  test.each([
    { text: "25.5%%%", share: 0.255 },
    { text: "+1e1%", share: 0.1 },
    { text: ".5", share: 0.005 },
    { text: "5.", share: 0.05 },
    { text: "infinity", share: Number.POSITIVE_INFINITY },
    { text: "-Inf", share: Number.NEGATIVE_INFINITY },
  ])("$text is the 32-bit float of $share", ({ text, share }) => expect(parsePercentage(text)).toBeCloseTo(share, 7));

  test("an amount stays as it is; a share is cut to whole bytes", () => {
    const amount = parseThreshold("s", "100Mi");
    expect(amount && thresholdQuantity(amount, 5)).toBe(amount && "quantity" in amount && amount.quantity);
    expect(thresholdQuantity({ percentage: 0.5 }, 5)).toMatchObject({ nano: 2_000_000_000n });
  });

  test("what is given holds alone, unless it is put on top of the kubelet's own", () => {
    const kubelet = {
      "memory.available": "100Mi",
      "nodefs.available": "10%",
      "nodefs.inodesFree": "5%",
      "imagefs.available": "15%",
      "imagefs.inodesFree": "5%",
    };
    const given = { "memory.available": "1Gi" };
    expect(effectiveEvictionHard(undefined, false)).toEqual(kubelet);
    expect(effectiveEvictionHard(given, false)).toEqual(given);
    expect(effectiveEvictionHard(given, true)).toEqual({ ...kubelet, ...given });
  });
});
