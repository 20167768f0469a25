import { expect, test } from "@jest/globals";
import { parseSignal, signalNumber } from "../../../src/command/spawn.js";

test.each([
  ["SIGQUIT", 3],
  ["quit", 3],
  [" TERM ", 15],
  ["3", 3],
  ["1", 1],
  ["64", 64],
  ["SIGRTMIN", 34],
  ["RTMIN+3", 37],
  ["sigrtmin+30", 64],
])("StopSignal %s is signal %i", (text, number) => {
  expect(parseSignal(text)).toBe(number);
});

test.each(["", "0", "65", "100", "SIGNOTHING", "RTMIN+31", "RTMIN-1", "RTMAX", "SIGRTMIN+", "1.5", "x3"])(
  "StopSignal %j is no signal",
  (text) => {
    expect(parseSignal(text)).toBeUndefined();
  },
);

test("the number of a process's signal; 0 without one", () => {
  expect([signalNumber("SIGKILL"), signalNumber(null), signalNumber("SIGNOTHING")]).toEqual([9, 0, 0]);
});
