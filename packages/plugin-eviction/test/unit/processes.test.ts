import { processesByContainer } from "@hooklet/core/rules";
import type { KernelFiles } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import { parseThresholdConfig } from "../../src/internal.js";
import { movedBetween, movedSoFar, unreapedByInit } from "../../src/processes.js";
import { isMadeByTheDead } from "../../src/thresholds.js";
import { noSettings } from "./pods.js";

type KernelReader = Pick<KernelFiles, "read" | "directories">;

function kernel(files: Readonly<Record<string, string>>): KernelReader {
  const pids = [...new Set(Object.keys(files).map((path) => path.split("/")[2] ?? ""))];
  return { read: (path) => files[path], directories: (path) => (path === "/proc" ? [...pids, "sys"] : []) };
}

describe("zombies that the machine's init has not reaped", () => {
  test.each([
    { name: "a child of init", stat: "7 (sleep) Z 1 7 7 0", dead: 1 },
    { name: "one with brackets and blanks in its name", stat: "7 (a) S 1 (b) Z 1 7 7 0", dead: 1 },
    { name: "one whose parent lives: it is the parent's, and its pod's", stat: "7 (sleep) Z 44 7 7 0", dead: 0 },
    { name: "one that lives", stat: "7 (sleep) S 1 7 7 0", dead: 0 },
    { name: "one that has just gone", stat: "", dead: 0 },
  ])("$name", ({ stat, dead }) => {
    expect(unreapedByInit(kernel({ "/proc/7/stat": stat }))).toBe(dead);
  });
});

test("only init's children are read, where the kernel lists them", () => {
  const read: string[] = [];
  const files: Readonly<Record<string, string>> = {
    "/proc/1/task/1/children": "7 8 ",
    "/proc/1/task/12/children": "",
    "/proc/7/stat": "7 (sh) Z 1 7 7 0",
    "/proc/8/stat": "8 (sh) S 1 8 8 0",
  };
  const machine: KernelReader = {
    read: (path) => {
      read.push(path);
      return files[path];
    },
    directories: (path) => (path === "/proc/1/task" ? ["1", "12"] : ["7", "8", "9"]),
  };
  expect(unreapedByInit(machine)).toBe(1);
  expect(read).not.toContain("/proc/9/stat");
});

describe("a shortage of processes", () => {
  const [threshold] = parseThresholdConfig({ ...noSettings, evictionHard: { "pid.available": "1k" } });
  const left = (available: number) => new Map([["pid.available", { available, capacity: 32_768 }]] as const);

  test.each([
    { name: "no zombies", available: 900, dead: 0, made: false },
    { name: "zombies are the whole shortage", available: 900, dead: 100, made: true },
    { name: "other processes are a part of the shortage", available: 900, dead: 99, made: false },
    { name: "more are dead than lack", available: -700, dead: 2_500, made: true },
  ])("$name", ({ available, dead, made }) => {
    expect(threshold && isMadeByTheDead(threshold, left(available), dead)).toBe(made);
  });

  test("of memory is never the dead's", () => {
    const [memory] = parseThresholdConfig({ ...noSettings, evictionHard: { "memory.available": "1k" } });
    const seen = new Map([["memory.available", { available: 1, capacity: 2_000 }]] as const);
    expect(memory && isMadeByTheDead(memory, seen, 5_000)).toBe(false);
  });
});

test("what processes read and write is summed by container", () => {
  const io = (read: number, written: number) => `rchar: 9\nwchar: 9\nread_bytes: ${read}\nwrite_bytes: ${written}\n`;
  const files = { "/proc/7/cgroup": "0::/pod1/abc\n", "/proc/8/cgroup": "0::/pod1/abc\n", "/proc/9/cgroup": "0::/x\n" };
  const before = kernel({ ...files, "/proc/7/io": io(100, 0) });
  const after = kernel({ ...files, "/proc/7/io": io(150, 1000), "/proc/8/io": io(5, 0), "/proc/9/io": io(1, 1) });
  const pids = processesByContainer(after).get("abc") ?? [];
  expect(pids).toEqual(["7", "8"]);
  expect(movedBetween(movedSoFar(before, ["7", "8"]), movedSoFar(after, ["7", "8", "9"]), pids)).toBe(1055);
});

test("a process whose numbers the kernel refuses counts nothing", () => {
  const refusing: KernelReader = {
    read: () => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    },
    directories: () => [],
  };
  expect(movedSoFar(refusing, ["7"]).size).toBe(0);
});
