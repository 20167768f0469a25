import { describe, expect, test } from "@jest/globals";
import { observationsOf, parseThresholdConfig, unwatched, watchMemory } from "../../../src/internal.js";
import { memory, noSettings } from "../pods.js";

const thresholds = parseThresholdConfig({
  ...noSettings,
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%" },
  evictionSoft: { "memory.available": "500Mi" },
  evictionSoftGracePeriod: { "memory.available": "30s" },
});

/** Looks every 100 ms; gives when a round was asked for. */
function rounds(left: readonly string[]): readonly number[] {
  let state = unwatched;
  return left.flatMap((available, index) => {
    const looked = watchMemory(state, thresholds, observationsOf(memory(available)), index * 100);
    state = looked.state;
    return looked.round ? [index * 100] : [];
  });
}

test("nothing is asked for while memory is there", () => {
  expect(rounds(["2Gi", "1Gi", "600Mi"])).toEqual([]);
});

test("a threshold that is crossed asks at once, a soft one only then", () => {
  expect(rounds(["600Mi", "400Mi", ...Array<string>(20).fill("300Mi")])).toEqual([100]);
});

test("a hard one that stays crossed asks every second", () => {
  expect(rounds(Array<string>(25).fill("50Mi"))).toEqual([0, 1000, 2000]);
});

test("one that was left and is crossed again asks again", () => {
  expect(rounds(["400Mi", "600Mi", "400Mi"])).toEqual([0, 200]);
});

test("what is above its threshold asks for nothing, however much has to be free once it was crossed", () => {
  const withReclaim = parseThresholdConfig({
    ...noSettings,
    evictionHard: { "memory.available": "100Mi" },
    evictionMinimumReclaim: { "memory.available": "1Gi" },
  });
  expect(watchMemory(unwatched, withReclaim, observationsOf(memory("200Mi")), 0).round).toBe(false);
});

test("without numbers nothing is asked for", () => {
  expect(watchMemory(unwatched, thresholds, observationsOf({}), 0).round).toBe(false);
});

describe("there is a pause between two checks", () => {
  const rest = (left: string) => {
    const { state } = watchMemory(unwatched, thresholds, observationsOf(memory(left, "64Gi")), 5000);
    return Math.floor(state.restUntil - 5000);
  };

  test.each([
    { name: "of a second far from every threshold", left: "20Gi", milliseconds: 1000 },
    { name: "as long as the fastest eater needs to the next threshold", left: "4596Mi", milliseconds: 500 },
    { name: "of next to nothing close to it", left: "501Mi", milliseconds: 0 },
    { name: "reckoned to the next one when one is crossed already", left: "300Mi", milliseconds: 24 },
    { name: "of a second when all are crossed: rounds are asked for no more often", left: "50Mi", milliseconds: 1000 },
  ])("$name", ({ left, milliseconds }) => {
    expect(rest(left)).toBe(milliseconds);
  });
});
