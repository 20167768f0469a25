import { expect, test } from "@jest/globals";
import { outcomeChanges } from "../../../src/print/summary.js";

const pod = (name: string, more: object = {}) => ({
  pod: `default/${name}`,
  phase: "Running",
  ready: true,
  restarts: 0,
  reason: "",
  qos: "Burstable",
  ...more,
});
const failure = { path: "expect[0]", t: 30, what: "pod lost", difference: "expected phase Failed, found Running" };
const outcome = (
  pods: readonly object[],
  figures: object,
  failures: readonly object[] = [],
  faults: readonly object[] = [],
) =>
  ({
    final: { pods, images: [], devices: [] },
    figures,
    failedSteps: [],
    faults,
    expectations: failures.map((one) => ({ failure: one })),
  }) as never;

test("pods, figures and expectations that are others have a line each", () => {
  const before = outcome([pod("a"), pod("lost", { phase: "Failed", reason: "NoOwner", ready: false })], { pulls: 1 });
  const after = outcome([pod("a"), pod("lost"), pod("new", { restarts: 2 })], { pulls: 3 }, [failure]);
  const fails = "s.yaml expect[0] at 30s: pod lost: expected phase Failed, found Running";
  expect(outcomeChanges("s.yaml", before, after)).toEqual([
    "pod lost: Failed (NoOwner) -> Running, ready",
    "pod new: not there -> Running, ready, 2 restarts",
    "pulls: 1 -> 3",
    `fails now: ${fails}`,
  ]);
  expect(outcomeChanges("s.yaml", after, before)).toContain(`no longer: ${fails}`);
  expect(outcomeChanges("s.yaml", after, after)).toEqual([]);
});

test("what a plugin or a strategy throws since then has a line", () => {
  const fault = { path: "strategy ./rank.js", t: 30, what: "the agent logged an error", difference: "boom" };
  const text = "s.yaml strategy ./rank.js at 30s: the agent logged an error: boom";
  const [before, after] = [outcome([], {}), outcome([], {}, [], [fault])];
  expect(outcomeChanges("s.yaml", before, after)).toEqual([`fails now: ${text}`]);
  expect(outcomeChanges("s.yaml", after, before)).toEqual([`no longer: ${text}`]);
});
