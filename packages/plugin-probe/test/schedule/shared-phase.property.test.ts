import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { kubelet, sharedPhase } from "../../src/schedule/strategies.js";

const fraction = fc.double({ min: 0, max: 0.999_999, noNaN: true });
const since = fc.double({ min: 0, max: 1e9, noNaN: true });
const period = fc.integer({ min: 20, max: 3_600_000 });

test("workers that start with jitter start at a hundredth of their period, and the jitter stays below the period", () => {
  fc.assert(
    fc.property(fraction, since, period, (own, at, periodMilliseconds) => {
      const share = sharedPhase(own, at, periodMilliseconds);
      expect(share).toBeGreaterThanOrEqual(-1e-9);
      expect(share).toBeLessThan(1);
      const hundredths = ((at + share * periodMilliseconds) / periodMilliseconds) * 100;
      expect(Math.abs(hundredths - Math.round(hundredths))).toBeLessThan(1e-4 * Math.max(1, hundredths / 1e6));
    }),
  );
});

test("the jitter moves by less than a hundredth of the period", () => {
  fc.assert(
    fc.property(fraction, since, period, (own, at, periodMilliseconds) => {
      expect(Math.abs(sharedPhase(own, at, periodMilliseconds) - own)).toBeLessThanOrEqual(0.01 + 1e-9);
    }),
  );
});

test("pods that came at different moments have probes at the same moments", () => {
  const starts = [100.25, 103.5, 107].map((due) =>
    kubelet({
      reason: "first",
      now: due,
      due,
      periodMilliseconds: 10_000,
      agentStartedAt: 0,
      fraction: sharedPhase(0.3, due, 10_000),
      index: 0,
    }),
  );
  expect(starts.map((at) => Math.round(at * 1e6) / 1e6)).toEqual([3200, 3200, 3200]);
});
