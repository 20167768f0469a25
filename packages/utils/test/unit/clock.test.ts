import { expect, test } from "@jest/globals";
import { pause, sleep, systemClock, withDeadline } from "../../src/clock.js";

test("a sleep ends early with the signal's reason", async () => {
  const stop = new AbortController();
  const sleeping = sleep(systemClock, 60_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
});

test("a pause ends early as well, and leaves it to the caller to check the signal", async () => {
  const stop = new AbortController();
  const pausing = pause(systemClock, 60_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(pausing).resolves.toBeUndefined();
  await expect(pause(systemClock, 60_000, stop.signal)).resolves.toBeUndefined();
});

test("work that misses its deadline is rejected with the caller's error", async () => {
  const never = new Promise<void>(() => {});
  await expect(withDeadline(systemClock, 1, never, () => new Error("late"))).rejects.toThrow("late");
});

test("the monotonic clock never goes back", () => {
  const first = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
});

test("a timer of more days than the system's timers have is split up; a cancellation is of the part that waits", () => {
  const { setTimeout: own, clearTimeout: clear } = globalThis;
  const armed: (readonly [run: () => void, milliseconds: number])[] = [];
  const cancelled: unknown[] = [];
  Object.assign(globalThis, {
    setTimeout: (run: () => void, milliseconds: number) => {
      armed.push([run, milliseconds]);
      return { unref: () => undefined, number: armed.length };
    },
    clearTimeout: (handle: { number: number }) => cancelled.push(handle.number),
  });
  let runs = 0;
  try {
    const timer = systemClock.schedule(2 ** 31 + 4, () => runs++);
    armed[0]?.[0]();
    timer.cancel();
    armed[1]?.[0]();
    systemClock.schedule(-5, () => undefined);
  } finally {
    Object.assign(globalThis, { setTimeout: own, clearTimeout: clear });
  }
  expect(armed.map(([, milliseconds]) => milliseconds)).toEqual([2 ** 31 - 1, 5, 0]);
  expect([cancelled, runs]).toEqual([[2], 1]);
});
