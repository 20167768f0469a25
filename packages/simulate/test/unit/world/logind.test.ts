import { VirtualClock } from "@hooklet/sim";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ScenarioLogind } from "../../../src/world/logind.js";

let clock: VirtualClock;
let reported: [at: number, state: string][];
let logind: ScenarioLogind;

beforeEach(() => {
  clock = new VirtualClock();
  reported = [];
  logind = new ScenarioLogind(clock, (state) => reported.push([clock.monotonic() / 1000, state]));
});

describe("a shutdown of the simulated machine", () => {
  test("is not delayed without a lock", () => {
    logind.begin();
    expect(reported).toEqual([
      [0, "begun"],
      [0, "off"],
    ]);
  });

  test("waits for the last lock holder", async () => {
    const locks = [await logind.inhibit(), await logind.inhibit()];
    logind.begin();
    await clock.advance(2000);
    locks[0]?.release();
    locks[0]?.release();
    await clock.advance(1000);
    locks[1]?.release();
    await locks[1]?.gone;
    expect(reported.at(-1)).toEqual([3, "off"]);
  });

  test.each([
    ["logind's own five seconds", undefined, 5],
    ["as long as it was asked to", 60, 60],
  ])("waits no longer than %s", async (_, asked, seconds) => {
    if (asked !== undefined) await logind.setLongestDelay(asked);
    const lock = await logind.inhibit();
    logind.begin();
    await clock.advance(600_000);
    lock.release();
    expect(reported).toEqual([
      [0, "begun"],
      [seconds, "off"],
    ]);
  });

  test("that is called off does not come, and the next one is held up as well", async () => {
    const lock = await logind.inhibit();
    logind.begin();
    await clock.advance(1000);
    logind.cancel();
    await clock.advance(60_000);
    expect(await logind.isGoingDown()).toBe(false);
    logind.begin();
    lock.release();
    expect(reported).toEqual([
      [0, "begun"],
      [1, "cancelled"],
      [61, "begun"],
      [61, "off"],
    ]);
  });

  test("is announced to listeners, and gives no lock while it is under way", async () => {
    const ending = new AbortController();
    let changes = 0;
    const watching = logind.watch(() => {
      changes += 1;
    }, ending.signal);
    await logind.inhibit();
    logind.begin();
    expect([changes, await logind.isGoingDown()]).toEqual([1, true]);
    await expect(logind.inhibit()).rejects.toThrow(/already running/);
    ending.abort(new Error("over"));
    await expect(watching).rejects.toThrow("over");
    logind.cancel();
    expect(changes).toBe(1);
  });

  test("begins once, and what is not under way is not called off", async () => {
    expect(() => logind.cancel()).toThrow("the machine is not on its way down: there is nothing to cancel");
    await logind.inhibit();
    logind.begin();
    expect(() => logind.begin()).toThrow("the machine is on its way down already");
    await clock.advance(5000);
    expect(() => logind.cancel()).toThrow("the machine is down: there is nothing to cancel");
    expect(() => logind.begin()).toThrow("the machine is down already");
  });
});
