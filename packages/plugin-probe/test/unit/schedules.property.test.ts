import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { kubelet, onBeat } from "../../src/schedules.js";

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const since = fc.integer({ min: 0, max: 10_000_000 });

it("the start jitter of all workers with whole periods ends on common beats, within the period", () => {
  fc.assert(
    fc.property(fraction, since, fc.integer({ min: 2, max: 3600 }), (own, came, seconds) => {
      const periodMilliseconds = seconds * 1000;
      const moved = onBeat(own, came, periodMilliseconds);
      expect(moved).toBeGreaterThanOrEqual(0);
      expect(moved).toBeLessThan(1);
      const common = { periodMilliseconds, agentStartedAt: came, index: 0, now: came, due: came };
      const first = kubelet({ ...common, reason: "first", fraction: moved });
      expect(Math.abs(first / 500 - Math.round(first / 500))).toBeLessThan(1e-4);
    }),
  );
});

it("a fraction next to 1 stays within the period", () => {
  expect(onBeat(0.9999999999995344, 8_437_500, 2_000)).toBe(0.75);
});

it("a period too short for beats keeps its own fraction", () => {
  expect(onBeat(0.3, 12_345, 1_000)).toBe(0.3);
});
