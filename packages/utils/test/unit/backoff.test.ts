import { describe, expect, test } from "@jest/globals";
import { type BackOff, backOffUntil, nextBackOff } from "../../src/backoff.js";

/** Restarts a container that ends `lives[i]` ms after its i-th start; returns the waits before each restart. */
function waits(lives: readonly number[]): readonly number[] {
  let now = 0;
  let backOff: BackOff | undefined;
  return lives.map((life) => {
    const finished = now + life;
    const start = backOffUntil(backOff, finished);
    backOff = nextBackOff(backOff, finished, start);
    now = start;
    return (start - finished) / 1000;
  });
}

describe("crash back-off", () => {
  test("the first restart is at once, then 10 s doubling to 5 min", () => {
    expect(waits(new Array(9).fill(0))).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test("a container that ran for more than 10 min starts again at once", () => {
    expect(waits([0, 0, 0, 600_001, 0, 0])).toEqual([0, 10, 20, 0, 10, 20]);
  });

  test("a container that ran for exactly 10 min still waits", () => {
    expect(waits([0, 0, 600_000])).toEqual([0, 10, 20]);
  });
});
