/** Paint of the live view: what is written of a picture, and which status has which colour. */
import { expect, test } from "@jest/globals";
import { beginScreen, endScreen, paint, statusStyle, styling } from "../../../../src/run/view/paint.js";

test("only lines that changed are written, each at its row; rows that are gone are emptied", () => {
  expect(paint(["a", "b", "c"], ["a", "x"])).toBe("\u001b[2;1H\u001b[Kx\u001b[3;1H\u001b[K");
  expect(paint(["a"], ["a", "b"])).toBe("\u001b[2;1H\u001b[Kb");
  expect(paint(undefined, [])).toBe("\u001b[2J");
});

test("a screen of its own, without wrapping and without a cursor; all of it is given back", () => {
  expect(beginScreen).toBe("\u001b[?1049h\u001b[?7l\u001b[?25l\u001b[2J");
  expect(endScreen).toBe("\u001b[?7h\u001b[?25h\u001b[?1049l");
});

test.each([
  [true, "text", "\u001b[31mtext\u001b[39m"],
  [true, "", ""],
  [false, "text", "text"],
])("with colours %s, %j is painted as %j", (colour, text, painted) => {
  expect(styling(colour)("red", text)).toBe(painted);
});

test.each([
  ["green", ["Running", "Completed", "Succeeded"]],
  [
    "red",
    [
      ...["Error", "CrashLoopBackOff", "Failed", "ExitCode:3", "Signal:9", "OOMKilled", "Evicted", "Preempting"],
      ...["OutOfcpu", "UnexpectedAdmissionError", "InvalidImageName", "Init:Error"],
    ],
  ],
  ["yellow", ["Pending", "ContainerCreating", "Terminating", "Init:0/1", "NotRunning"]],
] as const)("%s: %j", (colour, all) => {
  expect(all.map(statusStyle)).toEqual(all.map(() => colour));
});
