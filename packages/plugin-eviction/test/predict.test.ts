import { describe, expect, test } from "@jest/globals";
import { initialState, type Observations, parseThresholdConfig, withLayout } from "../src/index.js";
import { Prediction } from "../src/loop/prediction.js";
import { crossedWithin } from "../src/round/predict.js";
import { bytes, dedicated, noSettings, oneDisk } from "./pods.js";

const thresholds = parseThresholdConfig({
  ...noSettings,
  evictionHard: { "nodefs.available": "10Gi", "imagefs.available": "10Gi", "memory.available": "1Gi" },
});

function seen(seconds: number, left: string): Observations {
  const at = { available: bytes(left), capacity: bytes("100Gi"), time: seconds * 1000 };
  return new Map([
    ["nodefs.available", at],
    ["memory.available", at],
  ]);
}

test.each([
  { name: "falling fast enough", before: "13Gi", now: "12Gi", soon: ["nodefs.available"] },
  { name: "falling too slowly", before: "30Gi", now: "29Gi", soon: [] },
  { name: "standing still", before: "12Gi", now: "12Gi", soon: [] },
  { name: "getting emptier", before: "12Gi", now: "13Gi", soon: [] },
  { name: "crossed already: the rounds' own business", before: "12Gi", now: "9Gi", soon: [] },
])("$name", ({ before, now, soon }) => {
  const found = crossedWithin(thresholds, seen(0, before), seen(10, now), 30);
  expect(found.map(({ signal }) => signal)).toEqual(soon);
});

test("the time between the readings counts, not the hour of the day", () => {
  const at = (before: number, now: number) =>
    crossedWithin(thresholds, seen(before, "13Gi"), seen(now, "12Gi"), 30).length;
  expect([at(1_000_000, 1_000_010), at(1_000_000, 1_000_020)]).toEqual([1, 0]);
});

test("two readings of one time tell nothing", () => {
  expect(crossedWithin(thresholds, seen(10, "13Gi"), seen(10, "12Gi"), 30)).toEqual([]);
});

describe("what is cleaned ahead", () => {
  const looks = (layout: typeof oneDisk) => {
    const prediction = new Prediction(30);
    const { state } = withLayout(initialState(thresholds), layout);
    prediction.look({ ...state, observations: seen(0, "13Gi") });
    return prediction.look({ ...state, observations: seen(10, "12Gi") });
  };

  test("one disk: containers and images, each once", () => {
    expect(looks(oneDisk)).toEqual(["containers", "images"]);
  });

  test("with images on a disk of their own nothing helps nodefs", () => {
    expect(looks(dedicated)).toEqual([]);
  });
});
