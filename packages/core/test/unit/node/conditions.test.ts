import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { NodeConditions } from "../../../src/node/conditions.js";
import type { NodeConditionState } from "../../../src/plugin/contract.js";

const full: NodeConditionState = {
  status: "True",
  reason: "KubeletHasDiskPressure",
  message: "kubelet has disk pressure",
};

describe("watchers of the node's conditions are called", () => {
  const calls = (next: NodeConditionState | undefined): number => {
    const conditions = new NodeConditions(new VirtualClock(), () => undefined);
    conditions.set("eviction", "DiskPressure", full);
    let count = 0;
    conditions.watch(() => {
      count += 1;
    });
    conditions.set("eviction", "DiskPressure", next);
    return count;
  };

  test.each([
    { name: "for another status", next: { ...full, status: "False" as const }, count: 1 },
    { name: "for another reason", next: { ...full, reason: "Other" }, count: 1 },
    { name: "for another message", next: { ...full, message: "other" }, count: 1 },
    { name: "for one that is gone", next: undefined, count: 1 },
    { name: "not for the same once more", next: { ...full }, count: 0 },
  ])("$name", ({ next, count }) => expect(calls(next)).toBe(count));

  test("not for the end of one that there is not, and not after it has ended its watch", () => {
    const conditions = new NodeConditions(new VirtualClock(), () => undefined);
    let count = 0;
    const end = conditions.watch(() => {
      count += 1;
    });
    conditions.set("eviction", "DiskPressure", undefined);
    end();
    conditions.set("eviction", "DiskPressure", full);
    expect(count).toBe(0);
  });
});
