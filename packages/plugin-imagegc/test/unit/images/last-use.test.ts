import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { memoryOf, memoryToSave, type SavedMemory, savedMemory } from "../../../src/images/last-use.js";
import { MINUTE, record } from "./images.js";

const schema = typeof savedMemory === "function" ? savedMemory(z) : savedMemory;
const DAY = 24 * 60 * MINUTE;
const records = new Map(
  [record("a", { firstDetected: 10, lastUsed: 40 }), record("b", { firstDetected: undefined })].map((one) => [
    one.key,
    one,
  ]),
);
const written = memoryToSave(5, records, { now: 100, wall: 1_000_000 });

test("ages continue over a restart, whatever the new agent's clock starts with", () => {
  const memory = memoryOf(written, { now: 7_000_000, wall: 1_000_000 + MINUTE });
  const ago = (time: number | undefined) => (time === undefined ? undefined : 7_000_000 - MINUTE - time);
  expect(ago(memory.began)).toBe(95);
  expect(
    [...memory.images].map(([key, { firstDetected, lastUsed }]) => [key, ago(firstDetected), ago(lastUsed)]),
  ).toEqual([
    ["a", 90, 60],
    ["b", undefined, undefined],
  ]);
});

test("a wall clock that was set back while the agent was away makes nothing younger", () => {
  const memory = memoryOf(written, { now: 500, wall: 1 });
  expect(memory.images.get("a")).toEqual({ firstDetected: 410, lastUsed: 440 });
});

describe("in the same run of the machine", () => {
  const uptime = 500_000;
  const saved = memoryToSave(5, records, { now: 100, wall: 1_000_000, boot: { id: "one", uptime } });
  const lastUse = (moment: {
    readonly wall: number;
    readonly boot?: { readonly id: string; readonly uptime: number };
  }) => 10 * DAY - (memoryOf(saved, { now: 10 * DAY, ...moment }).images.get("a")?.lastUsed ?? 0);

  test.each([
    { name: "set a day forward", wall: 1_000_000 + DAY },
    { name: "set a day back", wall: 1_000_000 - DAY },
    { name: "left alone", wall: 1_000_000 + MINUTE },
  ])("a wall clock that is $name while the agent is away makes no image older or younger", ({ wall }) => {
    expect(lastUse({ wall, boot: { id: "one", uptime: uptime + MINUTE } })).toBe(60 + MINUTE);
  });

  test.each([
    { name: "in another run", boot: { id: "two", uptime: 1_000 } },
    { name: "where the kernel does not tell its uptime", boot: undefined },
  ])("$name there is only the wall clock", ({ boot }) => {
    expect(lastUse({ wall: 1_000_000 + DAY, ...(boot !== undefined && { boot }) })).toBe(60 + DAY);
  });
});

test("an age or absence beyond all reason counts as a hundred years, so that each time can be written as a date", () => {
  const absurd: SavedMemory = { version: 1, writtenAt: -1e300, began: 1e300, images: { a: [1e300, 1e300] } };
  const memory = memoryOf(absurd, { now: 1_700_000_000_000, wall: 1 });
  const times = [memory.began, memory.images.get("a")?.firstDetected, memory.images.get("a")?.lastUsed];
  for (const time of times) expect(new Date(time ?? Number.NaN).toISOString()).toMatch(/^1/);
});

test.each([
  { name: "no object", saved: [] },
  { name: "another version", saved: { version: 2, writtenAt: 1, began: 1, images: {} } },
  { name: "a time that is no number", saved: { version: 1, writtenAt: "now", began: 1, images: {} } },
  { name: "an image from the future", saved: { version: 1, writtenAt: 1, began: 1, images: { a: [-1, 2] } } },
  { name: "no images", saved: { version: 1, writtenAt: 1, began: 1 } },
  { name: "an image with one age", saved: { version: 1, writtenAt: 1, began: 1, images: { a: [1] } } },
  { name: "an image with a text as age", saved: { version: 1, writtenAt: 1, began: 1, images: { a: [1, "2"] } } },
])("a file with $name is refused", ({ saved }) => {
  expect(schema.safeParse(saved).success).toBe(false);
});

const value = fc.jsonValue({ maxDepth: 1 });
const number = fc.oneof(value, fc.double({ noNaN: true, noDefaultInfinity: true }));
const shaped = fc.record({
  version: fc.constant(1),
  writtenAt: number,
  began: number,
  images: fc.oneof(value, fc.dictionary(fc.string(), fc.oneof(value, fc.tuple(number, number)))),
  boot: fc.oneof(value, fc.record({ id: fc.constant("one"), uptime: number })),
});

test("any JSON is either refused or a memory of times that have been", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped), (saved) => {
      const { data } = schema.safeParse(saved);
      if (data === undefined) return true;
      const memory = memoryOf(data, { now: 1, wall: 1, boot: { id: "one", uptime: 5 } });
      const times = [...memory.images.values()].flatMap((one) => [one.firstDetected, one.lastUsed]);
      return [memory.began, ...times].every((time) => time === undefined || (Number.isFinite(time) && time <= 1));
    }),
  );
});
