import { expect, test } from "@jest/globals";
import { aPod } from "../src/builders.js";
import { runningStatus } from "../src/test-plugin/running-status.js";

test("a condition that a plugin set is shown as it was set: Unknown stays Unknown, with its own time", () => {
  const lastTransitionTime = "2026-01-02T03:04:05Z";
  const parts = { containers: new Map(), startTime: 0, ips: [] };
  const conditions = new Map([
    ["example.com/seen", { type: "example.com/seen", status: "Unknown" as const, lastTransitionTime }],
    ["example.com/new", { type: "example.com/new", status: "True" as const }],
  ]);
  expect(runningStatus(aPod(), { ...parts, conditions }).conditions?.slice(-2)).toEqual([
    { type: "example.com/seen", status: "Unknown", lastTransitionTime },
    { type: "example.com/new", status: "True", lastTransitionTime: "1970-01-01T00:00:00Z" },
  ]);
});
