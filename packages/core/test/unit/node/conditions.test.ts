import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { NodeConditions, nodeClaimConflict } from "../../../src/node/conditions.js";
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

describe("a condition of the node", () => {
  const set = (...calls: readonly (readonly [plugin: string, type: string, state: object | undefined])[]) => {
    const clock = new VirtualClock({ start: 5_000 });
    const conditions = new NodeConditions(clock, () => undefined);
    for (const [plugin, type, state] of calls) {
      conditions.set(plugin, type, state as NodeConditionState);
      clock.jump(1_000);
    }
    return conditions;
  };

  test("has the times of its last setting and of its last other status, and is found by its type", () => {
    const other = { ...full, reason: "Other", message: "else" };
    const conditions = set(
      ["eviction", "DiskPressure", full],
      ["clock", "a.b/Skewed", full],
      ["eviction", "DiskPressure", other],
    );
    const [disk, skewed] = conditions.list();
    const type = "DiskPressure";
    expect(disk).toEqual({ ...other, type, plugin: "eviction", lastHeartbeatTime: 7_000, lastTransitionTime: 5_000 });
    expect(skewed).toMatchObject({ type: "a.b/Skewed", plugin: "clock", lastTransitionTime: 6_000 });
    expect([conditions.get(type), conditions.get("Other")]).toEqual([disk, undefined]);
    expect(Object.isFrozen(disk)).toBe(true);
  });

  test("has a new time with another status", () => {
    const [disk] = set(
      ["eviction", "DiskPressure", full],
      ["eviction", "DiskPressure", { ...full, status: "False" }],
    ).list();
    expect(disk).toMatchObject({ status: "False", lastHeartbeatTime: 6_000, lastTransitionTime: 6_000 });
  });

  test("is one plugin's until it is gone", () => {
    const first = ["eviction", "DiskPressure", full] as const;
    const message =
      'Two owners claim condition DiskPressure of the node: plugin "eviction" has it, plugin "other" sets it again. ' +
      "Switch one of them off, or change what it sets.";
    for (const state of [full, undefined])
      expect(() => set(first, ["other", "DiskPressure", state])).toThrow(
        expect.objectContaining({ code: "CLAIM_CONFLICT", plugin: "other", message }),
      );
    const conditions = set(first, ["eviction", "DiskPressure", undefined], ["other", "DiskPressure", full]);
    expect(conditions.list().map(({ plugin }) => plugin)).toEqual(["other"]);
  });

  test.each<[string, object, string]>([
    ["Disk Pressure", full, 'setCondition: expected a type such as "DiskPressure", found "Disk Pressure".'],
    [
      "DiskPressure",
      { ...full, status: "yes" },
      'setCondition("DiskPressure").status: expected True, False or Unknown, found "yes".',
    ],
  ])("of type %j with the state %j is refused", (type, state, message) => {
    expect(() => set(["eviction", type, state])).toThrow(expect.objectContaining({ code: "INVALID", message }));
  });

  test.each(["True", "False", "Unknown"])("may be %s", (status) => {
    expect(set(["eviction", "DiskPressure", { ...full, status }]).get("DiskPressure")?.status).toBe(status);
  });

  test.each([
    [undefined, "the node itself"],
    ["other", 'plugin "other"'],
  ])("that is owned by %j names %s", (owner, text) => {
    expect(nodeClaimConflict("label a", owner, "mine").message).toContain(`claim label a of the node: ${text} has it`);
  });
});
