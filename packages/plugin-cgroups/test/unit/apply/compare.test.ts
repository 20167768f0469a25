import { describe, expect, test } from "@jest/globals";
import { sameValue, shrinks } from "../../../src/apply/compare.js";
import { MIB } from "../world.js";

describe("what the kernel shows is what was written", () => {
  test.each([
    { name: "the same text", file: "cpu.max", wanted: "50000 100000", got: "50000 100000\n" },
    { name: "a limit in whole pages", file: "memory.max", wanted: "5000", got: "4096" },
    {
      name: "a limit of huge pages in whole pages",
      file: "hugetlb.2MB.max",
      wanted: String(3 * MIB),
      got: String(2 * MIB),
    },
    { name: "one of great pages", file: "hugetlb.1GB.limit_in_bytes", wanted: "1073741825", got: "1073741824" },
    { name: "one of small pages", file: "hugetlb.64KB.max", wanted: "65537", got: "65536" },
    { name: "no limit in either's words", file: "pids.max", wanted: "-1", got: "max" },
    {
      name: "no limit of v1, the greatest number of whole pages",
      file: "memory.limit_in_bytes",
      wanted: "-1",
      got: "9223372036854771712",
    },
    { name: "a number with blanks around it", file: "pids.max", wanted: "12", got: " 12\n" },
  ])("$name", ({ file, wanted, got }) => {
    expect(sameValue(file, wanted, got)).toBe(true);
  });

  test.each([
    { name: "another page", file: "memory.max", wanted: "8192", got: "4096" },
    { name: "a limit and none", file: "memory.max", wanted: "4096", got: "max" },
    {
      name: "a limit of memory just below what v1 shows for none",
      file: "memory.limit_in_bytes",
      wanted: "-1",
      got: "9223372036854767616",
    },
    { name: "counts, which are not rounded", file: "pids.max", wanted: "5000", got: "4999" },
    {
      name: "whether a group goes as one, which is no amount of memory",
      file: "memory.oom.group",
      wanted: "1",
      got: "0",
    },
    { name: "processors, which are no amount", file: "cpuset.cpus", wanted: "0-1", got: "0-3" },
    {
      name: "a number of processes as great as no memory",
      file: "pids.max",
      wanted: "max",
      got: "9223372036854771712",
    },
    { name: "a number with something behind it", file: "pids.max", wanted: "12", got: "12x" },
  ])("not $name", ({ file, wanted, got }) => {
    expect(sameValue(file, wanted, got)).toBe(false);
  });
});

describe("values that shrink are written from the children up", () => {
  test.each([
    { file: "cpu.max", from: "100000 100000", to: "50000 100000", less: true },
    { file: "cpu.max", from: "50000 100000", to: "100000 100000", less: false },
    { file: "cpu.max", from: "50000 100000", to: "10000 10000", less: false },
    { file: "cpu.max", from: "max 100000", to: "100000 100000\n", less: true },
    { file: "cpu.max", from: "50000", to: "max", less: false },
    { file: "cpu.max", from: "100000", to: "50000 100000", less: true },
    { file: "cpu.cfs_quota_us", from: "-1", to: "50000", less: true },
    { file: "cpu.cfs_quota_us", from: "50000", to: "-1", less: false },
    { file: "cpu.cfs_burst_us", from: "2", to: "1", less: true },
    { file: "cpu.max.burst", from: "2", to: "1", less: true },
    { file: "memory.limit_in_bytes", from: "8192", to: "4096", less: true },
    { file: "memory.max", from: "max", to: "4096", less: true },
    { file: "memory.high", from: "8192", to: "4096", less: true },
    { file: "pids.max", from: "max", to: "10", less: true },
    { file: "pids.max", from: "10", to: "10", less: false },
    { file: "hugetlb.2MB.max", from: String(4 * MIB), to: "0", less: true },
    { file: "hugetlb.2MB.limit_in_bytes", from: String(4 * MIB), to: "0", less: true },
  ])("$file from $from to $to: $less", ({ file, from, to, less }) => {
    expect(shrinks(file, from, to)).toBe(less);
  });

  test.each([
    "cpu.shares",
    "cpu.weight",
    "cpu.cfs_period_us",
    "memory.min",
    "memory.low",
    "memory.oom.group",
    "cpuset.cpus",
    "x.memory.max",
    "memory.max.x",
  ])("%s is no limit: less of it takes nothing away", (file) => {
    expect(shrinks(file, "200000", "100")).toBe(false);
  });

  test("what cannot be read as an amount takes nothing away", () => {
    expect(shrinks("memory.max", "?", "100")).toBe(false);
    expect(shrinks("memory.max", "100", "?")).toBe(false);
  });
});
