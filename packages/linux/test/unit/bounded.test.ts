import { getEventListeners } from "node:events";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { boundedDiskUsage } from "../../src/bounded.js";

test("many counts at once under one signal are no leak, and leave nothing on it", async () => {
  const warnings: string[] = [];
  const warned = (warning: Error): void => void warnings.push(warning.name);
  process.on("warning", warned);
  const { signal } = new AbortController();
  const clock = new VirtualClock();
  const usage = { usedBytes: 1, inodesUsed: 1 };
  const count = async (stop: AbortSignal) => {
    expect(stop.aborted).toBe(false);
    return usage;
  };
  const all = Array.from({ length: 30 }, (_, index) => boundedDiskUsage(clock, `/${index}`, signal, count));
  expect(await Promise.all(all)).toHaveLength(30);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", warned);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
