import { VirtualClock } from "@hooklet/testkit/simulation";
import { expect, test } from "@jest/globals";
import { TokenBucket } from "../../src/client/token-bucket.js";

const bucket = (clock: VirtualClock) => new TokenBucket(clock, { qps: 10, burst: 2 });

test("a burst goes at once, what follows waits its turn", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  await one.take();
  await one.take();
  let isOver = false;
  void one.take().then(() => {
    isOver = true;
  });
  await clock.advance(90);
  expect(isOver).toBe(false);
  await clock.advance(20);
  expect(isOver).toBe(true);
});

test("who gives up keeps nobody else waiting", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  const given = new AbortController();
  const waiting = Array.from({ length: 1_000 }, () => one.take(given.signal).catch(() => "given up"));
  await clock.settle();
  given.abort(new Error("late"));
  expect((await Promise.all(waiting)).filter((one) => one === "given up")).toHaveLength(998);
  await expect(Promise.race([one.take(undefined, 200), clock.advance(250).then(() => "still waits")])).resolves.toBe(
    undefined,
  );
});

test("a turn that would come too late is refused at once, and takes none", async () => {
  const clock = new VirtualClock();
  const one = bucket(clock);
  await Promise.all([one.take(), one.take()]);
  await expect(one.take(undefined, 50)).rejects.toMatchObject({ code: "KUBE_API", reason: "Timeout" });
  await clock.advance(100);
  await one.take(undefined, 0);
});
