import { expect, test } from "@jest/globals";
import { systemClock } from "../../src/clock.js";
import { StatisticsHub } from "../../src/node/statistics.js";
import type { NodeStatistics } from "../../src/plugin/contract/statistics.js";

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
