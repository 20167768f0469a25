import type { Json } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { memoryJson, readMemory } from "../../src/images/memory.js";
import { MINUTE, record } from "./images.js";

const records = new Map(
  [record("a", { firstDetected: 10, lastUsed: 40 }), record("b", { firstDetected: undefined })].map((one) => [
    one.key,
    one,
  ]),
);
const written = memoryJson(5, records, { now: 100, wall: 1_000_000 });

test("ages go on over a restart, whatever the new agent's clock began with", () => {
  const memory = readMemory(written, { now: 7_000_000, wall: 1_000_000 + MINUTE });
  const ago = (time: number | undefined) => (time === undefined ? undefined : 7_000_000 - MINUTE - time);
  expect(ago(memory?.began)).toBe(95);
  expect(
    [...(memory?.images ?? [])].map(([key, { firstDetected, lastUsed }]) => [key, ago(firstDetected), ago(lastUsed)]),
  ).toEqual([
    ["a", 90, 60],
    ["b", undefined, undefined],
  ]);
});

test("a wall clock that was set back while the agent was away makes nothing younger", () => {
  const memory = readMemory(written, { now: 500, wall: 1 });
  expect(memory?.images.get("a")).toEqual({ firstDetected: 410, lastUsed: 440 });
});

test("without a file there is no memory", () => {
  expect(readMemory(undefined, { now: 1, wall: 1 })).toBeUndefined();
});

test.each([
  { name: "no object", saved: [] },
  { name: "another version", saved: { version: 2, writtenAt: 1, began: 1, images: {} } },
  { name: "a time that is no number", saved: { version: 1, writtenAt: "now", began: 1, images: {} } },
  { name: "no images", saved: { version: 1, writtenAt: 1, began: 1 } },
  { name: "an image with one age", saved: { version: 1, writtenAt: 1, began: 1, images: { a: [1] } } },
  { name: "an image with a text as age", saved: { version: 1, writtenAt: 1, began: 1, images: { a: [1, "2"] } } },
])("a file with $name is refused", ({ saved }) => {
  expect(() => readMemory(saved as Json, { now: 1, wall: 1 })).toThrow(/expected/);
});

test("any JSON is either refused or a memory", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (saved) => {
      try {
        const memory = readMemory(saved as Json, { now: 1, wall: 1 });
        return memory === undefined || Number.isFinite(memory.began);
      } catch (error) {
        return error instanceof Error && error.message.startsWith("expected");
      }
    }),
  );
});
