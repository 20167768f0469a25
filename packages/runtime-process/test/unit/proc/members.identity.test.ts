import { expect, test } from "@jest/globals";
import { parsePids } from "../../../src/proc/members.js";

const stat = (pid: number, start: number) => `${pid} (a b) c) S 1 1 1 ${"0 ".repeat(15)}${start} 0`;
const WHOLE = ["boot", stat(40, 700), stat(41, 701), "end", ""];

test("the pids of a container are known once their file is whole", () => {
  expect(parsePids(WHOLE.join("\n"))).toEqual({
    bootId: "boot",
    main: { pid: 40, startTicks: "700" },
    shim: { pid: 41, startTicks: "701" },
  });
  for (let lines = 0; lines < WHOLE.length - 1; lines++)
    expect(parsePids(WHOLE.slice(0, lines).join("\n"))).toBeUndefined();
});

test.each([
  ["cut within a line", ["boot", "40 (a", stat(41, 701), "end"]],
  ["of the machine's first process", ["boot", stat(1, 700), stat(41, 701), "end"]],
  ["of a shim that would be that", ["boot", stat(40, 700), stat(1, 701), "end"]],
])("pids %s are none", (_name, lines) => {
  expect(parsePids(lines.join("\n"))).toBeUndefined();
});
