/** Connections on which nothing moves. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { endWhenIdle } from "../../src/idle.js";

function watched() {
  const clock = new VirtualClock();
  let moved = 0;
  let ended = 0;
  const rest = endWhenIdle(
    clock,
    1_000,
    () => moved,
    () => {
      ended += 1;
    },
  );
  const move = (): void => {
    moved += 1;
  };
  return { clock, rest, move, ended: () => ended };
}

test("what is silent for the whole time ends once, and no later than a quarter of it after", async () => {
  const { clock, ended } = watched();
  await clock.advance(999);
  expect(ended()).toBe(0);
  await clock.advance(251);
  expect(ended()).toBe(1);
  await clock.advance(100_000);
  expect(ended()).toBe(1);
});

test("what moves now and then does not end, however long it lasts", async () => {
  const { clock, move, ended } = watched();
  for (let at = 0; at < 50; at += 1) {
    await clock.advance(700);
    move();
  }
  expect(ended()).toBe(0);
  await clock.advance(1_500);
  expect(ended()).toBe(1);
});

test("what has ended otherwise is not checked any more", async () => {
  const { clock, rest, ended } = watched();
  rest();
  await clock.advance(10_000);
  expect([ended(), clock.pending]).toEqual([0, 0]);
});
