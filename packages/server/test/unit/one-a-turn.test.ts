/** Programs that many clients request at once: one a turn, and time for other work between them. */
import { VirtualClock } from "@hooklet/testkit";
import type { Clock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { ownTurn } from "../../src/one-a-turn.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Three callers, whose work takes so many milliseconds each; `turns` gives those that have had their turn. */
function begun(taken: number) {
  const clock = new VirtualClock();
  let time = 0;
  const timed: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + time,
    schedule: (milliseconds, run) => clock.schedule(milliseconds, run),
  };
  const order: string[] = [];
  const all = ["a", "b", "c"].map((name) =>
    ownTurn(timed).then(() => {
      order.push(name);
      time += taken;
    }),
  );
  const turns = async (): Promise<string> => {
    for (let at = 0; at < 20; at += 1) await turn();
    return order.join("");
  };
  return { clock, turns, all: Promise.all(all) };
}

test("callers have their turns one after the other, first come, first served", async () => {
  const { turns, all } = begun(0);
  expect(await turns()).toBe("abc");
  await all;
});

test.each([1, 30])("of work that took %d ms as much time is left before the next turn", async (taken) => {
  const { clock, turns, all } = begun(taken);
  expect(await turns()).toBe("a");
  await clock.advance(taken - 0.5);
  expect(await turns()).toBe("a");
  await clock.advance(0.5);
  expect(await turns()).toBe("ab");
  await clock.advance(taken);
  expect(await turns()).toBe("abc");
  await clock.advance(taken);
  await all;
});

test("work of less than a millisecond delays no other", async () => {
  const { turns, all } = begun(0.9);
  expect(await turns()).toBe("abc");
  await all;
});
