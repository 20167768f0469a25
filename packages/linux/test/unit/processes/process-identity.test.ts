/** Who a process is, by its line in /proc. */
import { expect, test } from "@jest/globals";
import { identify, identifyListed, isAlive, parseStat, readStat } from "../../../src/processes/process-identity.js";

const line = (name: string, rest = "S 10 11 12 0 -1 4194560 9 8 7 6 50 60 3 4 20 0 1 0 12345 1000 77 184467") =>
  `42 (${name}) ${rest}\n`;

test.each(["sh", "a b", "a) S 1 (b", ") (", ""])("a process that is called %j is read whole", (name) => {
  expect(parseStat(line(name))).toEqual({
    pid: 42,
    state: "S",
    parent: 10,
    group: 11,
    session: 12,
    startTicks: "12345",
    cpuTicks: 110,
    residentPages: 77,
  });
});

test.each([
  ["nothing", ""],
  ["no name", "42 S 10 11"],
  ["no pid", " (sh) S 1"],
  ["a line that is cut off before its start", line("sh", "S 10 11 12")],
  ["a start that is no number", line("sh", "S 10 11 12 0 -1 4194560 9 8 7 6 50 60 3 4 20 0 1 0 12x 1000 77")],
  ["brackets in the wrong order", "42) x (sh S 1"],
])("%s says nothing", (_, text) => expect(parseStat(text)).toBeUndefined());

test("this process is alive; one that began at another time is not, nor one that there is not", () => {
  const own = identify(process.pid);
  if (own === undefined) throw new Error("no identity");
  expect([own.pid, readStat(process.pid)?.parent]).toEqual([process.pid, process.ppid]);
  expect([isAlive(own), isAlive({ ...own, startTicks: "1" })]).toEqual([true, false]);
  // Linux has no pid above 4194304.
  expect([isAlive({ pid: 4_194_305, startTicks: "1" }), identify(4_194_305)]).toEqual([false, undefined]);
});

test("of a list those count that are still on it afterwards; of an empty one the list is not made again", () => {
  const who = (pid: number) => (pid === 9 ? undefined : { pid, startTicks: "1" });
  const lists = [
    [7, 8, 9],
    [8, 9, 10],
  ];
  expect(identifyListed(() => lists.shift() ?? [], who)).toEqual([{ pid: 8, startTicks: "1" }]);
  let made = 0;
  const none = identifyListed(() => {
    made += 1;
    return [9];
  }, who);
  expect([none, made]).toEqual([[], 1]);
});
