import { describe, expect, test } from "@jest/globals";
import { RateWindow } from "../../src/stats/window.js";

/** The moments against which readings at these moments are compared. */
function compared(...moments: readonly number[]): (number | undefined)[] {
  const window = new RateWindow<number>();
  return moments.map((at) => window.next(at, at));
}

describe("usage per second is taken", () => {
  test("over at least five seconds, however soon one reader comes after another", () => {
    expect(compared(0, 10_000, 10_001, 10_002)).toEqual([undefined, 0, 0, 0]);
    expect(compared(0, 10_000, 16_000, 16_001)).toEqual([undefined, 0, 10_000, 10_000]);
  });

  test("against the last reading that is old enough, so that a pod which is new since an older one has its rate", () => {
    expect(compared(0, 3000, 6000, 9000, 12_000)).toEqual([undefined, 0, 0, 3000, 6000]);
    expect(compared(0, 1000, 20_000)).toEqual([undefined, 0, 1000]);
  });

  test("however many readers there are, a few readings are kept", () => {
    const moments = Array.from({ length: 1000 }, (_, index) => index * 10);
    expect(compared(...moments, 60_000).at(-1)).toBe(9000);
  });

  test("since the first reading, in the first five seconds", () => {
    expect(compared(0, 1, 4999)).toEqual([undefined, 0, 0]);
  });

  test("anew when the clock was set back", () => {
    expect(compared(100_000, 200_000, 50_000, 56_000)).toEqual([undefined, 100_000, undefined, 50_000]);
  });
});
