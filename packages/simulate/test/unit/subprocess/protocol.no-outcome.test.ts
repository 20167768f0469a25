import { VirtualClock } from "@hooklet/sim";
import { describe, expect, test } from "@jest/globals";
import { type Ending, noOutcomeText, watchForStandstill } from "../../../src/subprocess/protocol.js";

describe("a run stands still", () => {
  const watched = (isHeldUp = () => false) => {
    const clock = new VirtualClock();
    let ended = 0;
    const watch = watchForStandstill(clock, isHeldUp, () => {
      ended += 1;
    });
    return { clock, watch, ended: () => ended };
  };

  test("once nothing was heard of it for 30 s, and that is reported once", async () => {
    const { clock, ended } = watched();
    await clock.advance(29_999);
    expect(ended()).toBe(0);
    await clock.advance(60_000);
    expect([ended(), clock.pending]).toEqual([1, 0]);
  });

  test("not while it is heard", async () => {
    const { clock, watch, ended } = watched();
    for (let second = 0; second < 100; second += 20) {
      await clock.advance(20_000);
      watch.heard();
    }
    expect(ended()).toBe(0);
  });

  test("not while the reader of its output does not read", async () => {
    let isHeldUp = true;
    const { clock, ended } = watched(() => isHeldUp);
    await clock.advance(600_000);
    isHeldUp = false;
    await clock.advance(29_000);
    expect(ended()).toBe(0);
  });

  test("not after its end", async () => {
    const { clock, watch, ended } = watched();
    watch.stop();
    await clock.advance(60_000);
    expect(ended()).toBe(0);
  });
});

const ENDING: Ending = { code: 0, signal: null, stderr: "", stoodStill: false, t: 0 };
test.each<[string, Partial<Ending>, string]>([
  [
    "stood still",
    { signal: "SIGKILL", code: null, stoodStill: true, t: 20 },
    "A tap or a strategy in the run of s.yaml loops without end: the run stood still for 30 s, at 20 s of virtual time or soon after, and was ended. Look at the loops of your plugins.",
  ],
  [
    "exited without a word",
    {},
    "The run of s.yaml ended with code 0 before it had an outcome. A plugin or a strategy called process.exit: it may only return or throw.",
  ],
  [
    "said something last",
    { code: 1, stderr: "oh no\n" },
    "The run of s.yaml ended with code 1 before it had an outcome. It said: oh no",
  ],
  ["was killed", { code: null, signal: "SIGKILL" }, "The run of s.yaml ended with SIGKILL before it had an outcome."],
])("what is said of a run that %s", (_name, ending, text) => {
  expect(noOutcomeText("s.yaml", { ...ENDING, ...ending })).toBe(text);
});
