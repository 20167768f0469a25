import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { Ticks } from "../../../src/agent/ticks.js";
import { createHooks } from "../../../src/hooks/hooks.js";

function ticking(taps: Record<number, (now: number, signal: AbortSignal) => Promise<void>>) {
  const clock = new VirtualClock({ start: 50_000 });
  const hooks = createHooks();
  for (const [period, run] of Object.entries(taps))
    hooks.tick.for(Number(period)).tapPromise("tap", ({ now, signal }) => run(now, signal));
  const reported: string[] = [];
  const ticks = new Ticks(hooks, clock, (where, error) => reported.push(`${where}: ${(error as Error).message}`));
  return { clock, ticks, reported };
}

test("each period has its own ticks, the first one a period after the start", async () => {
  const seen: [number, number][] = [];
  const { clock, ticks } = ticking({
    2: async (now) => void seen.push([2, now]),
    3: async (now) => void seen.push([3, now]),
  });
  ticks.start();
  await clock.advance(1_999);
  expect(seen).toEqual([]);
  await clock.advance(4_001);
  expect(seen.toSorted(([, a], [, b]) => a - b)).toEqual([
    [2, 52_000],
    [3, 53_000],
    [2, 54_000],
    [3, 56_000],
    [2, 56_000],
  ]);
});

test("a tick that is busy delays no later one", async () => {
  const seen: number[] = [];
  const { clock, ticks } = ticking({
    1: async (now) => {
      seen.push(now);
      await new Promise(() => {});
    },
  });
  ticks.start();
  await clock.advance(3_000);
  expect(seen).toEqual([51_000, 52_000, 53_000]);
});

test("a tick that fails is reported, and the next one comes", async () => {
  const { clock, ticks, reported } = ticking({
    1: async () => {
      throw new Error("boom");
    },
  });
  ticks.start();
  await clock.advance(2_000);
  expect(reported).toEqual(["tick 1s: boom", "tick 1s: boom"]);
});

test("once they are stopped no tick comes, and that under way knows it", async () => {
  const signals: AbortSignal[] = [];
  const { clock, ticks } = ticking({ 1: async (_, signal) => void signals.push(signal) });
  ticks.start();
  await clock.advance(1_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  ticks.stop();
  await clock.advance(5_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(clock.pending).toBe(0);
});
