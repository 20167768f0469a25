import { describe, expect, test } from "@jest/globals";
import { fractionOf, kubelet, onBeat, type ScheduleInput, spread } from "../../src/schedules.js";

const SECOND = 1000;
const base: ScheduleInput = {
  reason: "first",
  now: 100 * SECOND,
  periodMilliseconds: 10 * SECOND,
  due: 100 * SECOND,
  agentStartedAt: 0,
  fraction: 0.25,
  index: 0,
};
const at = (schedule: typeof kubelet, given: Partial<ScheduleInput>): number =>
  schedule({ ...base, ...given }) / SECOND;

describe("the kubelet's ticker", () => {
  test.each<{ name: string; given: Partial<ScheduleInput>; next: number }>([
    { name: "begins when the pod came, on an agent that is older than the period", given: {}, next: 100 },
    { name: "of a worker that is late keeps the pod's beat", given: { now: 103 * SECOND }, next: 110 },
    { name: "of a worker that is late by whole periods begins at once", given: { now: 120 * SECOND }, next: 120 },
    {
      name: "sleeps its part of the period first while the agent is young",
      given: { agentStartedAt: 95 * SECOND },
      next: 102.5,
    },
    { name: "does not once the agent is a period old", given: { agentStartedAt: 90 * SECOND }, next: 100 },
    { name: "goes on from beat to beat", given: { reason: "tick", now: 100 * SECOND }, next: 110 },
    { name: "leaves out what a slow probe missed", given: { reason: "tick", now: 125 * SECOND }, next: 130 },
    { name: "makes no step twice", given: { reason: "tick", now: 110 * SECOND }, next: 120 },
    { name: "waits for a step that is still to come", given: { reason: "tick", now: 99 * SECOND }, next: 100 },
    { name: "restarts with a requested step", given: { reason: "trigger", now: 103 * SECOND }, next: 113 },
  ])("$name", ({ given, next }) => {
    expect(at(kubelet, given)).toBe(next);
  });
});

describe("evenly spread", () => {
  test("each worker has another place in the period, the first at its beginning", () => {
    const places = Array.from({ length: 20 }, (_, index) => at(spread, { due: 0, now: 0, index }));
    expect(places[0]).toBe(0);
    const sorted = [...places].sort((a, b) => a - b);
    expect(sorted.at(-1)).toBeLessThan(10);
    const gaps = sorted.slice(1).map((place, index) => place - (sorted[index] ?? 0));
    // The golden section: no gap is more than a few times another.
    expect(Math.min(...gaps)).toBeGreaterThan(0.2);
    expect(Math.max(...gaps)).toBeLessThan(1);
  });

  test("after any triggers, a worker keeps its place", () => {
    expect(at(spread, { reason: "tick", due: 104 * SECOND, now: 104 * SECOND })).toBe(114);
    expect(at(spread, { reason: "trigger", due: 104 * SECOND, now: 101 * SECOND })).toBe(104);
  });

  test("a place that is over comes a period later", () => {
    expect(at(spread, { index: 0, now: 100.5 * SECOND })).toBe(110);
  });
});

describe("common beats", () => {
  test.each([
    { name: "a period of two seconds has them", period: 2000, fraction: 0.4, moved: 0.25 },
    { name: "a shorter one has not", period: 1999, fraction: 0.4, moved: 0.4 },
    { name: "the beat before", period: 10_000, fraction: 0.249, moved: 0.2 },
    { name: "the beat itself", period: 10_000, fraction: 0.25, moved: 0.25 },
  ])("$name", ({ period, fraction, moved }) => {
    expect(onBeat(fraction, 50_000, period)).toBeCloseTo(moved, 9);
  });

  test("are the machine's, not the worker's: one that came between two waits for the next", () => {
    expect(onBeat(0, 50_100, 10_000) * 10_000).toBeCloseTo(400, 6);
    expect(onBeat(0.05, 50_100, 10_000) * 10_000).toBeCloseTo(400, 6);
  });
});

describe("a worker's share", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `uid-${index}/main/liveness`);

  test("is the same for the same worker, from 0 to below 1", () => {
    for (const name of names.slice(0, 50)) {
      expect(fractionOf(name)).toBe(fractionOf(name));
      expect(fractionOf(name)).toBeGreaterThanOrEqual(0);
      expect(fractionOf(name)).toBeLessThan(1);
    }
  });

  test("is spread evenly over workers whose names differ by little", () => {
    const tenths = new Map<number, number>();
    for (const name of names) {
      const tenth = Math.floor(fractionOf(name) * 10);
      tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
    }
    for (let tenth = 0; tenth < 10; tenth++) expect(tenths.get(tenth)).toBeGreaterThan(60);
    expect(new Set(names.map(fractionOf)).size).toBe(names.length);
  });

  test("is FNV-1a, stirred as MurmurHash3 does it: a simulation can be repeated in the next release", () => {
    expect(["", "a", "uid-1/main/liveness"].map((text) => fractionOf(text).toFixed(6))).toEqual([
      "0.668922",
      "0.103526",
      "0.087799",
    ]);
  });
});
