import { describe, expect, test } from "@jest/globals";
import { parseGoDuration, parseThresholdConfig } from "../../../src/internal.js";
import { noSettings } from "../pods.js";

describe("durations are read as Go reads them", () => {
  test.each([
    ["0", 0],
    ["30s", 30],
    ["1m30s", 90],
    ["1.5h", 5400],
    [".5s", 0.5],
    ["1.s", 1],
    ["250ms", 0.25],
    ["+2m", 120],
    ["-30s", -30],
    ["1h1h", 7200],
  ])("%s is %d seconds", (text, seconds) => {
    expect(parseGoDuration(text)).toBeCloseTo(seconds, 9);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["soon", 'time: invalid duration "soon"'],
    ["30", 'time: missing unit in duration "30"'],
    ["1m30", 'time: missing unit in duration "1m30"'],
    [".s", 'time: invalid duration ".s"'],
    ["3 s", 'time: unknown unit " s" in duration "3 s"'],
    ["30mins", 'time: unknown unit "mins" in duration "30mins"'],
    ["1toString", 'time: unknown unit "toString" in duration "1toString"'],
    ["9999999999h", 'time: invalid duration "9999999999h"'],
  ])("%j is none, in Go's words", (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(message);
  });
});

describe("thresholds beyond the vectors", () => {
  test.each(["NaN%", "Inf%"])("%s, which the kubelet lets pass or overflows on, is refused", (text) => {
    const hard = { ...noSettings, evictionHard: { "memory.available": text } };
    expect(() => parseThresholdConfig(hard)).toThrow("eviction percentage threshold memory.available must be");
    const reclaim = { ...noSettings, evictionMinimumReclaim: { "memory.available": text } };
    expect(() => parseThresholdConfig(reclaim)).toThrow(
      `eviction percentage minimum reclaim memory.available must be positive: ${text}`,
    );
  });

  test("a name of JavaScript's own objects is no signal", () => {
    const settings = { ...noSettings, evictionHard: { constructor: "10%" } };
    expect(() => parseThresholdConfig(settings)).toThrow("unsupported eviction signal constructor");
  });
});
