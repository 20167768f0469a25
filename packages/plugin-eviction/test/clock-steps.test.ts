/** Somebody sets the machine's clock: the times of statistics stay comparable. */
import { expect, test } from "@jest/globals";
import { observationsOf } from "../src/index.js";
import { ClockSteps } from "../src/readings/clock-steps.js";
import { memory } from "./pods.js";

const HOUR = 3_600_000;

function machine() {
  const time = { wall: 1_000_000, uptime: 0 };
  const pass = (milliseconds: number) => {
    time.wall += milliseconds;
    time.uptime += milliseconds;
  };
  return { time, pass, steps: new ClockSteps({ now: () => time.wall, monotonic: () => time.uptime }) };
}

test("time that passes is no step", () => {
  const { pass, steps } = machine();
  pass(HOUR);
  expect(steps.stepped()).toBe(0);
});

test.each([
  ["back", -HOUR],
  ["forward", HOUR],
])("a clock that is set %s by an hour has stepped by so much, from then on", (_name, by) => {
  const { time, pass, steps } = machine();
  pass(10_000);
  time.wall += by;
  expect(steps.stepped()).toBe(by);
  pass(10_000);
  expect(steps.stepped()).toBe(by);
});

test("a clock that is slewed does not make times waver", () => {
  const { time, pass, steps } = machine();
  const seen = new Set<number>();
  for (let round = 0; round < 100; round++) {
    pass(10_000.3);
    time.wall += 5;
    seen.add(steps.stepped());
  }
  expect([...seen]).toEqual([0]);
});

test("a statistic of after the step is newer than one of before it", () => {
  const at = (time: string, stepped: number) =>
    observationsOf({ memory: { ...memory("1Gi").memory, time } }, stepped).get("memory.available")?.time ?? 0;
  expect(at("2026-01-01T11:00:10Z", -HOUR)).toBeGreaterThan(at("2026-01-01T12:00:00Z", 0));
});
