import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { StatisticsHub } from "../../../src/node/statistics.js";
import type { NodeStatistics } from "../../../src/plugin/contract/statistics.js";

const reported: NodeStatistics = { node: { nodeName: "n", startTime: "2026-01-01T00:00:00Z" }, pods: [] };

test("statistics of a plugin are dropped once plugins stop, and it is not read any more", async () => {
  let asked = 0;
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", {
    read: async () => {
      asked += 1;
      return reported;
    },
  });
  expect(await hub.read()).toBe(reported);
  expect(await hub.read()).toBe(reported);
  expect(asked).toBe(1);
  hub.close();
  expect(await hub.read()).toBeUndefined();
  expect(asked).toBe(1);
});

test("a reading that ends after that goes only to its callers", async () => {
  let answer = (_: NodeStatistics): void => {};
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", { read: () => new Promise((resolve) => (answer = resolve)) });
  const waiting = hub.read();
  hub.close();
  answer(reported);
  expect(await waiting).toBe(reported);
  expect(await hub.read()).toBeUndefined();
});

test("a caller that waits for the next reading when plugins stop gets none, nor does a later one; the provider is not called again", async () => {
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
  // Distinguished from the first one by its time.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = hub.read(0);
  hub.close();
  answer(reported);
  expect(await first).toBe(reported);
  expect(await second).toBeUndefined();
  expect(asked).toBe(1);
});

test("a caller that waits for the next reading when its plugin registers another provider gets that one's", async () => {
  let answer = (_: NodeStatistics): void => {};
  const hub = new StatisticsHub(systemClock, new AbortController().signal);
  hub.provide("p", { read: () => new Promise((resolve) => (answer = resolve)) });
  const first = hub.read();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = hub.read(0);
  const other: NodeStatistics = { ...reported };
  hub.provide("p", { read: async () => other });
  answer(reported);
  expect(await first).toBe(reported);
  expect(await second).toBe(other);
});
