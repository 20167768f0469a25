import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { StatisticsHub } from "../../../src/node/statistics.js";
import type { NodeStatistics } from "../../../src/plugin/contract/statistics.js";

const told: NodeStatistics = { node: { nodeName: "n", startTime: "2026-01-01T00:00:00Z" }, pods: [] };

test("what a plugin told is not handed on once plugins stop, and nothing more is asked of it", async () => {
  let asked = 0;
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", {
    read: async () => {
      asked += 1;
      return told;
    },
  });
  expect(await hub.read()).toBe(told);
  expect(await hub.read()).toBe(told);
  expect(asked).toBe(1);
  hub.close();
  expect(await hub.read()).toBeUndefined();
  expect(asked).toBe(1);
});

test("a reading that comes back after that is for those who wait for it alone", async () => {
  let answer = (_: NodeStatistics): void => {};
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", { read: () => new Promise((resolve) => (answer = resolve)) });
  const waiting = hub.read();
  hub.close();
  answer(told);
  expect(await waiting).toBe(told);
  expect(await hub.read()).toBeUndefined();
});

test("who waits for the next reading when plugins stop gets none, as who asks after that; their provider is not asked once more", async () => {
  let answer = (_: NodeStatistics): void => {};
  let asked = 0;
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", {
    read: () => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    },
  });
  const first = hub.read();
  // Told apart from the first one by its time.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = hub.read(0);
  hub.close();
  answer(told);
  expect(await first).toBe(told);
  expect(await second).toBeUndefined();
  expect(asked).toBe(1);
});

test("who waits for the next reading when its plugin provides another one gets that one's", async () => {
  let answer = (_: NodeStatistics): void => {};
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", { read: () => new Promise((resolve) => (answer = resolve)) });
  const first = hub.read();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = hub.read(0);
  const other: NodeStatistics = { ...told };
  hub.provide("p", { read: async () => other });
  answer(told);
  expect(await first).toBe(told);
  expect(await second).toBe(other);
});
