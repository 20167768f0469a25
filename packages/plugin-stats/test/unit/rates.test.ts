import { type CgroupUsage, readUsage } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import { RateWindow, readCpuTimes } from "../../src/rates.js";
import { nanoCoresBetween } from "../../src/summary.js";
import { aMachine } from "./world.js";

const POD = "/kubepods/podx";

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

  test("again when the clock was set back", () => {
    expect(compared(100_000, 200_000, 50_000, 56_000)).toEqual([undefined, 100_000, undefined, 50_000]);
  });
});

describe("nano-cores", () => {
  const rate = (earlier: number | undefined, at: number, now: number | undefined, path = "/a") => {
    const nanoSeconds = new Map(earlier === undefined ? [] : [["/a", earlier]]);
    const usage = { at, path, cpu: { usageNanoSeconds: now } };
    return nanoCoresBetween({ at: 1000, nanoSeconds }, usage as unknown as CgroupUsage);
  };

  test.each([
    { name: "half a processor", found: () => rate(0, 3000, 1_000_000_000), cores: 500_000_000 },
    { name: "none at all: nothing was used", found: () => rate(5, 3000, 5), cores: 0 },
    { name: "rounded", found: () => rate(0, 1003, 1), cores: 333 },
    {
      name: "unknown without an earlier reading of that cgroup",
      found: () => rate(0, 3000, 9, "/b"),
      cores: undefined,
    },
    { name: "unknown without a reading", found: () => rate(0, 3000, undefined), cores: undefined },
    { name: "unknown in the same millisecond", found: () => rate(0, 1000, 9), cores: undefined },
    { name: "unknown when the clock was set back", found: () => rate(0, 900, 9), cores: undefined },
    { name: "unknown when the counter was reset", found: () => rate(10, 3000, 9), cores: undefined },
  ])("$name", ({ found, cores }) => {
    expect(found()).toBe(cores);
  });

  test("unknown in the first pass", () => {
    const usage = { at: 1, path: "/a", cpu: { usageNanoSeconds: 1 } };
    expect(nanoCoresBetween(undefined, usage as unknown as CgroupUsage)).toBeUndefined();
  });
});

describe("usage per second", () => {
  test.each(["v1", "v2"] as const)(
    "is taken against CPU time alone, the same that a whole reading has (%s)",
    (version) => {
      const { kernel, layout } = aMachine(version);
      const file = version === "v1" ? `cpuacct${POD}/cpuacct.usage` : `${POD.slice(1)}/cpu.stat`;
      kernel.set(`/sys/fs/cgroup/${file}`, version === "v1" ? "7000\n" : "usage_usec 7\nnr_periods 0\n");
      const { nanoSeconds } = readCpuTimes(kernel, layout, [POD, "/kubepods/gone"], 5);
      expect([...nanoSeconds]).toEqual([[POD, 7000]]);
      expect(readUsage(kernel, layout, POD, 5)?.cpu.usageNanoSeconds).toBe(7000);
    },
  );
});
