import { describe, expect, test } from "@jest/globals";
import { hugePages, meminfoBytes, processCount, processLimit } from "../../../src/kernel/machine-facts.js";

const kernel = (files: Readonly<Record<string, string>>, folders: readonly string[] = []) => ({
  read: (path: string) => files[path],
  directories: () => folders,
});

describe("a line of meminfo", () => {
  const text =
    "MemTotal:       16384 kB\nMemFree:            1 kB\nInactive(file):   20 kB\nHugePages_Total:       4\n";
  test.each<[string, string, number | undefined]>([
    ["the first line", "MemTotal", 16384 * 1024],
    ["a line further down", "MemFree", 1024],
    ["a name with brackets", "Inactive(file)", 20 * 1024],
    ["a name that only ends like another one", "Free", undefined],
    ["a name that only begins like another one", "Mem", undefined],
    ["a count is no amount of bytes", "HugePages_Total", undefined],
    ["a line that is not there", "SwapTotal", undefined],
  ])("%s", (_, field, expected) => {
    expect(meminfoBytes(text, field)).toBe(expected);
  });

  test("an empty text has no value", () => {
    expect(meminfoBytes("", "MemTotal")).toBeUndefined();
  });
});

describe("processes", () => {
  const [PID_MAX, THREADS_MAX] = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"];
  test.each<[string, Readonly<Record<string, string>>, number | undefined]>([
    ["the smaller of the two limits holds", { [PID_MAX]: "4194304\n", [THREADS_MAX]: "31000\n" }, 31000],
    ["one that cannot be read is left out, as in a kubelet", { [PID_MAX]: "32768\n" }, 32768],
    ["none is undefined", {}, undefined],
    ["what is no number is left out", { [PID_MAX]: "?", [THREADS_MAX]: "5\n" }, 5],
  ])("%s", (_, files, expected) => {
    expect(processLimit(kernel(files))).toBe(expected);
  });

  test("they are counted by the kernel's own count of tasks", () => {
    expect(processCount(kernel({ "/proc/loadavg": "0.10 0.20 0.30 3/456 7890\n" }))).toBe(456);
    expect(processCount(kernel({ "/proc/loadavg": "0.10 0.20" }))).toBeUndefined();
    expect(processCount(kernel({}))).toBeUndefined();
    expect(processCount(kernel({ "/proc/loadavg": "0.10 0.20 0.30 12/3456 7890\n" }))).toBe(3456);
    expect(processCount(kernel({ "/proc/loadavg": "x 0.10 0.20 0.30 3/456 7890\n" }))).toBeUndefined();
  });
});

test("huge pages are listed by size, in any order of their folders", () => {
  const files = { "/pages/hugepages-2048kB/nr_hugepages": "16\n" };
  const folders = ["hugepages-1048576kB", "hugepages-2048kB", "other", "my-hugepages-4kB", "hugepages-8kB.old"];
  expect(hugePages(kernel(files, folders), "/pages")).toEqual([
    { pageBytes: 2 ** 21, pages: 16 },
    { pageBytes: 2 ** 30, pages: 0 },
  ]);
});

test("without a separate folder huge pages are those of the kernel", () => {
  const asked: string[] = [];
  const files = {
    read: () => "3\n",
    directories: (path: string) => {
      asked.push(path);
      return ["hugepages-2048kB"];
    },
  };
  expect(hugePages(files)).toEqual([{ pageBytes: 2 ** 21, pages: 3 }]);
  expect(asked).toEqual(["/sys/kernel/mm/hugepages"]);
});
