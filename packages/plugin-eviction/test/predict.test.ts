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

test("a disk that has just come to its threshold, which is not crossed yet, is about to cross it", () => {
  const found = crossedWithin(thresholds, seen(0, "11Gi"), seen(10, "10Gi"), 30);
  expect(found.map(({ signal }) => signal)).toEqual(["nodefs.available"]);
});

test("readings without a time tell nothing, on whichever side it is missing", () => {
  const timeless = (all: Observations): Observations =>
    new Map([...all].map(([signal, { time: _, ...rest }]) => [signal, rest]));
  const [before, now] = [seen(0, "13Gi"), seen(10, "12Gi")];
  expect(crossedWithin(thresholds, timeless(before), now, 30)).toEqual([]);
  expect(crossedWithin(thresholds, before, timeless(now), 30)).toEqual([]);
  expect(crossedWithin(thresholds, new Map(), now, 30)).toEqual([]);
  expect(crossedWithin(thresholds, before, new Map(), 30)).toEqual([]);
});

describe("the layout of the disks", () => {
  const known = parseThresholdConfig({ ...noSettings, evictionHard: { "nodefs.available": "10Gi" } });
  const own = parseThresholdConfig({
    ...noSettings,
    evictionHard: { "nodefs.available": "10Gi", "containerfs.available": "1Gi" },
  });
  const signals = (all: readonly { readonly signal: string }[]) => all.map(({ signal }) => signal);

  test("brings thresholds of containerfs, which hold from the next round on", () => {
    const { state, thresholds: now, replaced } = withLayout(initialState(known), oneDisk);
    expect([signals(now), signals(state.thresholds), replaced]).toEqual([
      ["nodefs.available"],
      ["nodefs.available", "containerfs.available"],
      undefined,
    ]);
    const next = withLayout(state, dedicated);
    expect([next.state.layout, signals(next.thresholds)]).toEqual([oneDisk, signals(state.thresholds)]);
  });

  test("replaces what was set for containerfs, at once, and says so", () => {
    const { state, thresholds: now, replaced } = withLayout(initialState(own), oneDisk);
    expect(signals(now)).toEqual(signals(state.thresholds));
    expect(now.filter(({ signal }) => signal === "containerfs.available").map(({ value }) => value)).toEqual(
      known.map(({ value }) => value),
    );
    expect(replaced).toBe("found containerfs.available for hard eviction. ignoring");
  });
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
