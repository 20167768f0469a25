import { describe, expect, test } from "@jest/globals";
import { searchFailed } from "../../src/preemptor.js";
import { distance, repairOf, requirementsText, subtract } from "../../src/requirements.js";
import { bestEffort, critical, required } from "./pods.js";

const preemptor = critical("crit", {});

describe("whose business a rejection is", () => {
  const short = {
    reason: "OutOfcpu",
    message: "",
    shortfall: { resource: "cpu", requested: 500, used: 800, capacity: 1000 },
  };
  const other = { reason: "NodeAffinity", message: "" };

  test("a critical pod that is rejected for resources alone gets the missing ones freed", () => {
    expect(repairOf(preemptor, [short as never])).toEqual({ requirements: [{ resource: "cpu", quantity: 300 }] });
  });

  test("where anything else is wrong that stays", () => {
    expect(repairOf(preemptor, [short as never, other])).toEqual({ rejections: [other] });
  });

  test("a pod that is not critical preempts no pod", () => {
    expect(repairOf(bestEffort("be"), [short as never])).toEqual({ rejections: [short] });
  });
});

describe("what must be freed", () => {
  test("loses what goes, of each resource; what is freed vanishes", () => {
    const left = subtract(required({ cpu: 500, memory: 10, gpu: 1 }), [{ requests: { cpu: 499, memory: 10 } }]);
    expect(left).toEqual(required({ cpu: 1, gpu: 1 }));
  });

  test("is as far away as the squares of what is missing of each, at most 1 for each", () => {
    expect(
      [{}, { cpu: 250 }, { cpu: 500 }, { cpu: 900, memory: 5 }].map((one) =>
        distance(required({ cpu: 500, memory: 10 }), one),
      ),
    ).toEqual([2, 1.25, 1, 0.25]);
  });

  test("has the kubelet's message", () => {
    expect(requirementsText(required({ cpu: 1, memory: 2 }))).toBe("[(res: cpu, q: 1), (res: memory, q: 2), ]");
    expect(searchFailed("x")).toBe("preemption: error finding a set of pods to preempt: x");
  });
});
