import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { TokenBucket } from "../../src/token-bucket.js";

const bucket = (clock: VirtualClock) => new TokenBucket(clock, { perSecond: 10, burst: 2 });

test("a burst goes at once, what follows waits its turn", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  await one.turn();
  await one.turn();
  let isOver = false;
  void one.turn().then(() => {
    isOver = true;
  });
  await clock.advance(90);
  expect(isOver).toBe(false);
  await clock.advance(20);
  expect(isOver).toBe(true);
});

test("an aborted caller delays no other", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  const given = new AbortController();
  const waiting = Array.from({ length: 1_000 }, () => one.turn(given.signal).catch(() => "given up"));
  await clock.settle();
  given.abort(new Error("late"));
  expect((await Promise.all(waiting)).filter((one) => one === "given up")).toHaveLength(998);
  await expect(Promise.race([one.turn(undefined, 200), clock.advance(250).then(() => "still waits")])).resolves.toBe(
    true,
  );
});

test("a turn that would come too late is refused at once, and takes none", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  await Promise.all([one.turn(), one.turn()]);
  expect(await one.turn(undefined, 50)).toBe(false);
  await clock.advance(100);
  expect(await one.turn(undefined, 0)).toBe(true);
});

test("callers that do not wait have the burst at once, then the rate, and never more than the burst saved up", async () => {
  const clock = new VirtualClock();
  const one = new TokenBucket(clock, { perSecond: 100, burst: 10 });
  const taken = (tries: number): number => Array.from({ length: tries }, () => one.take()).filter(Boolean).length;
  expect(taken(20)).toBe(10);
  await clock.advance(5);
  expect(taken(5)).toBe(0);
  await clock.advance(5);
  expect(taken(5)).toBe(1);
  await clock.advance(50);
  expect(taken(20)).toBe(5);
  await clock.advance(60_000);
  expect(taken(20)).toBe(10);
});
