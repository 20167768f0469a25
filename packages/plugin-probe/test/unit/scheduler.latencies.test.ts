import { expect, test } from "@jest/globals";
import { Latencies } from "../../src/scheduler.js";

function of(...times: readonly number[]): Latencies {
  const latencies = new Latencies();
  for (const time of times) latencies.add(time);
  return latencies;
}

test("of nothing nothing is known", () => {
  const none = of();
  expect([none.count, none.mean, none.quantile(0.99)]).toEqual([0, undefined, undefined]);
});

test("the mean is exact", () => {
  const two = of(1, 4);
  expect([two.count, two.mean]).toEqual([2, 2.5]);
});

test.each([0, 0.1, 0.25, 0.26, 1, 3, 100, 7_999, 8_000, 60_000])(
  "a quantile is never too low, nor beyond the longest: %s ms",
  (time) => {
    expect(of(time).quantile(0.5)).toBe(time);
    const high = of(time, 1_000_000).quantile(0.5) ?? 0;
    expect(high).toBeGreaterThanOrEqual(time);
    if (time > 0.25 && time <= 8_000) expect(high).toBeLessThanOrEqual(time * 1.4143);
  },
);

test("a quantile counts from the shortest on", () => {
  const many = of(...Array.from({ length: 99 }, () => 1), 1_000);
  expect(many.quantile(0.5)).toBe(1);
  expect(many.quantile(0.99)).toBe(1);
  expect(many.quantile(1)).toBe(1_000);
});

test("beyond 65 535 of a kind what is old counts half", () => {
  const many = of();
  const add = (count: number, time: number) => {
    for (let n = 0; n < count; n++) many.add(time);
  };
  add(40_000, 100);
  add(65_536, 1);
  add(40_000, 100);
  expect(many.count).toBe(145_536);
  // 60 000 of 100 ms and 32 768 of 1 ms count.
  expect(many.quantile(0.35)).toBe(1);
  expect(many.quantile(0.36)).toBeGreaterThanOrEqual(100);
});
