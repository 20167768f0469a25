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
