/** A schedule that is not built in, as the rc file brings it: the example. */
import type { StrategyEntry } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { Schedule, ScheduleInput } from "../../../src/index.js";

// A path that the compiler does not follow: examples are plain JavaScript.
const file = new URL("../../../../../examples/strategies/on-shared-beats.mjs", import.meta.url).pathname;
const { default: example } = (await import(file)) as { default: StrategyEntry<Schedule> };

function onBeats(options: object): Schedule {
  const schema = typeof example.options === "function" ? example.options(z) : example.options;
  return example.create(schema.parse(options) as never);
}

const base: ScheduleInput = {
  reason: "first",
  now: 100_300,
  periodMilliseconds: 10_000,
  due: 100_300,
  agentStartedAt: 0,
  fraction: 0.25,
  index: 0,
};

test.each<{ name: string; given: Partial<ScheduleInput>; next: number }>([
  { name: "the first step waits for the next beat", given: {}, next: 105_000 },
  {
    name: "a step on a beat is followed by one a period later",
    given: { reason: "tick", due: 105_000 },
    next: 115_000,
  },
  { name: "a requested step restarts the period", given: { reason: "trigger" }, next: 115_000 },
  { name: "what a slow probe missed is left out", given: { reason: "tick", due: 60_000 }, next: 105_000 },
  { name: "a step is never made at once", given: { reason: "tick", due: 95_000, now: 105_000 }, next: 110_000 },
])("$name", ({ given, next }) => {
  expect(onBeats({ beatSeconds: 5 })({ ...base, ...given })).toBe(next);
});

test("a beat of no length is refused", () => {
  expect(() => onBeats({ beatSeconds: 0 })).toThrow(/beatSeconds/);
});
