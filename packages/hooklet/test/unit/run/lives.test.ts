import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { Lives } from "../../../src/run/lives.js";

function setUp() {
  const clock = new VirtualClock();
  const exits: number[] = [];
  const said: string[] = [];
  return {
    clock,
    exits,
    said,
    lives: new Lives(clock, { exit: (code) => exits.push(code), say: (text) => said.push(text) }),
  };
}

test("an error before the agent is up ends the process, as it always did", () => {
  const { lives, exits, said } = setUp();
  lives.heard("uncaughtException", new Error("early"));
  expect([exits, said]).toEqual([[1], ["error: uncaughtException before the agent was up: early"]]);
});

test("during a start the agent is informed first, and then the process ends: a half started agent cannot be stopped", async () => {
  const { lives, exits } = setUp();
  const reported: unknown[] = [];
  lives.begin({
    uncaught: async (kind) => {
      reported.push(kind);
      return false;
    },
  });
  lives.heard("uncaughtException", new Error("early"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([reported, exits]).toEqual([["uncaughtException"], [1]]);
});

test("a life ends where the agent says that its state may not be whole, and only there", async () => {
  const { lives, exits } = setUp();
  let whole = true;
  let over = false;
  lives.begin({ uncaught: async () => whole });
  void lives.up().then(() => {
    over = true;
  });
  lives.heard("unhandledRejection", new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  whole = false;
  lives.heard("uncaughtException", new Error("torn"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([over, exits]).toEqual([true, []]);
});

test("five lives within ten minutes are enough; their supervisor waits before the next", async () => {
  const { lives, clock } = setUp();
  const living = { uncaught: async () => false };
  for (let life = 0; life < 4; life++) lives.begin(living);
  expect(lives.mayGoOn).toBe(true);
  lives.begin(living);
  expect(lives.mayGoOn).toBe(false);
  await clock.advance(10 * 60_000 + 1);
  expect(lives.mayGoOn).toBe(true);
});
