/** What is an outage, and what wakes when it ends. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { Reach } from "../../../src/client/client.js";

const MINUTE = 60_000;

function watched() {
  const clock = new VirtualClock();
  const reach = new Reach(clock);
  const returns: number[] = [];
  reach.onReturn(() => returns.push(clock.monotonic()));
  return { clock, reach, returns };
}

test("the first answer after five seconds without any, counted from the begin of the failed request, ends an outage, and wakes waiting requests", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  let woken = false;
  void reach.pause(MINUTE).then(() => {
    woken = true;
  });
  await clock.advance(4_000);
  reach.failed(4_000);
  await clock.advance(500);
  reach.failed(100);
  await clock.advance(500);
  reach.answered();
  await clock.advance(0);
  expect([returns.length, woken]).toEqual([1, true]);
});

test("a failure that an answer follows at once is over with it: no later answer ends an outage that never was", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  reach.failed(0);
  await clock.advance(1_000);
  reach.answered();
  await clock.advance(MINUTE);
  reach.answered();
  expect(returns).toEqual([]);
});

test("one request that is lost after a quiet while, and answered at the next try, is no outage", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  await clock.advance(10_000);
  reach.failed(10);
  await clock.advance(200);
  reach.answered();
  expect(returns).toEqual([]);
});

test.each([
  [4_999, 0],
  [5_000, 1],
])("%i ms without any answer are %i outage", async (milliseconds, outages) => {
  const { clock, reach, returns } = watched();
  reach.failed(0);
  await clock.advance(milliseconds);
  reach.answered();
  expect(returns).toHaveLength(outages);
});

test("an outage counts from its first failure, whatever fails later", async () => {
  const { clock, reach, returns } = watched();
  reach.failed(0);
  await clock.advance(4_000);
  reach.failed(0);
  await clock.advance(1_000);
  reach.answered();
  expect(returns).toEqual([5_000]);
});

/** Whether the pause is over, at each of these times in milliseconds. */
async function over(pause: Promise<void>, clock: VirtualClock, ...steps: readonly number[]): Promise<boolean[]> {
  let isOver = false;
  void pause.then(() => {
    isOver = true;
  });
  const seen: boolean[] = [];
  for (const step of steps) {
    await clock.advance(step);
    seen.push(isOver);
  }
  return seen;
}

test("a pause ends after its time, or when its signal aborts; nothing waits on", async () => {
  const { clock, reach } = watched();
  expect(await over(reach.pause(100), clock, 99, 1)).toEqual([false, true]);
  const given = new AbortController();
  const pause = reach.pause(100, given.signal);
  given.abort();
  expect(await over(pause, clock, 0)).toEqual([true]);
  expect(clock.pending).toBe(0);
});

test("a pause with a signal ends with an outage as well", async () => {
  const { clock, reach } = watched();
  reach.failed(MINUTE);
  const pause = reach.pause(MINUTE, new AbortController().signal);
  reach.answered();
  expect(await over(pause, clock, 0)).toEqual([true]);
});

test("what failed before the outage ended does not wait; what began after it does", async () => {
  const { clock, reach } = watched();
  await clock.advance(MINUTE);
  reach.failed(MINUTE);
  reach.answered();
  const now = clock.monotonic();
  expect(await over(reach.pause(100, undefined, now - 1), clock, 0)).toEqual([true]);
  expect(await over(reach.pause(100, undefined, now), clock, 99, 1)).toEqual([false, true]);
});
