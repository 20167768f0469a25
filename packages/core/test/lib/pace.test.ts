import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../testkit/src/virtual-clock.js";
import { Pace } from "../../src/lib/pace.js";

async function passed(perMinute: number, callers: number, milliseconds: number): Promise<readonly number[]> {
  const clock = new VirtualClock();
  const pace = new Pace(clock, perMinute);
  const began = clock.monotonic();
  const times: number[] = [];
  const { signal } = new AbortController();
  for (let i = 0; i < callers; i++) void pace.turn(signal).then(() => times.push(clock.monotonic() - began));
  await clock.advance(milliseconds);
  return times;
}

test("the first go at once, the others a minute after the one so many places before them", async () => {
  expect(await passed(2, 5, 200_000)).toEqual([0, 0, 60_000, 60_000, 120_000]);
});

test("who gives up while waiting loses its turn to the next", async () => {
  const clock = new VirtualClock();
  const pace = new Pace(clock, 1);
  const given = new AbortController();
  const { signal } = new AbortController();
  await pace.turn(signal);
  const gone = pace.turn(given.signal);
  let came = -1;
  void pace.turn(signal).then(() => {
    came = clock.monotonic();
  });
  const refused = expect(gone).rejects.toThrow("not wanted any more");
  const began = clock.monotonic();
  given.abort(new Error("not wanted any more"));
  await refused;
  await clock.advance(61_000);
  expect(came - began).toBe(60_000);
});
