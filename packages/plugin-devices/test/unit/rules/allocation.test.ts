import { describe, expect, test } from "@jest/globals";
import { type SelectionInput, selectDevices } from "../../../src/allocation/select.js";
import { Inventory } from "../../../src/device/inventory.js";
import { type AllocationStrategy, type Question, violation } from "../../../src/strategies/allocation.js";
import { kubelet } from "../../../src/strategies/built-in.js";
import { device, devices, GPU, podOf } from "../../devices.js";

const pod = podOf("p", [{ gpus: 2 }]);
const [container = { name: "c0", image: "app:1" }] = pod.spec.containers;

function input(parts: Partial<SelectionInput> = {}, reported = devices(4)): SelectionInput {
  const inventory = new Inventory();
  inventory.reported(GPU, reported);
  return {
    pod,
    container,
    resource: GPU,
    required: 2,
    had: undefined,
    known: inventory.get(GPU),
    taken: () => false,
    reusable: new Set(),
    affinity: undefined,
    sourcesReady: true,
    running: false,
    canAsk: false,
    strategy: kubelet,
    ...parts,
  };
}

const chosen = (given: SelectionInput) => {
  const found = selectDevices(given);
  return found.kind === "chosen" ? { ids: found.ids, violation: found.violation } : found;
};

describe("devices of the pod's init containers", () => {
  test("are all that is offered where they are enough, in natural order", () => {
    const found = selectDevices(input({ reusable: new Set(["gpu-10", "gpu-9"]) }, devices(12)));
    expect(found).toMatchObject({
      kind: "chosen",
      ids: ["gpu-9", "gpu-10"],
      input: { mustInclude: ["gpu-9", "gpu-10"] },
    });
    expect(found.kind === "chosen" && found.input.candidates.map(({ id }) => id)).toEqual(["gpu-9", "gpu-10"]);
  });

  test("stand among the free ones in natural order, with their own nodes and health", () => {
    const reported = [device("gpu-1", [0]), device("gpu-2", [1]), device("gpu-3", [1])];
    const found = selectDevices(input({ reusable: new Set(["gpu-2"]), affinity: [0] }, reported));
    expect(found.kind === "chosen" && found.input.candidates).toEqual([
      { id: "gpu-1", nodes: [0], health: "Healthy", place: "aligned" },
      { id: "gpu-2", nodes: [1], health: "Healthy", place: "reusable" },
      { id: "gpu-3", nodes: [1], health: "Healthy", place: "unaligned" },
    ]);
  });

  test("that no plugin knows any more are unhealthy, and nowhere", () => {
    const found = selectDevices(input({ reusable: new Set(["gone"]) }));
    expect(found.kind === "chosen" && found.input.candidates.find(({ id }) => id === "gone")).toEqual({
      id: "gone",
      nodes: [],
      health: "Unhealthy",
      place: "reusable",
    });
  });
});

describe("a container", () => {
  test.each<{ name: string; parts: Partial<SelectionInput>; found: object }>([
    {
      name: "that runs already needs nothing until all sources have spoken",
      parts: { sourcesReady: false, running: true, known: undefined },
      found: { kind: "nothing" },
    },
    { name: "that has its devices needs no more", parts: { had: ["gpu-0", "gpu-1"] }, found: { kind: "nothing" } },
    {
      name: "whose device is no longer healthy is refused",
      parts: { had: ["gpu-0", "gpu-9"] },
      found: {
        kind: "failed",
        error: `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${GPU}`,
      },
    },
    {
      name: "that asks for another number than it has is refused",
      parts: { had: ["gpu-0"] },
      found: { kind: "failed", error: `pod "p" container "c0" changed request for resource "${GPU}" from 1 to 2` },
    },
    {
      name: "that asks for more than is free is refused",
      parts: { taken: (id) => id !== "gpu-3" },
      found: {
        kind: "failed",
        error: `requested number of devices unavailable for ${GPU}. Requested: 2, Available: 1`,
        tooFew: true,
      },
    },
  ])("$name", ({ parts, found }) => {
    expect(selectDevices(input(parts))).toEqual(found);
  });

  test("gets no device that is allocated, or not healthy", () => {
    const reported = [...devices(3), device("gpu-3", [], "Unhealthy"), device("gpu-4")];
    expect(chosen(input({ taken: (id) => id === "gpu-0" }, reported))).toEqual({
      ids: ["gpu-1", "gpu-2"],
      violation: undefined,
    });
  });

  test("is not aligned where no device has a NUMA node", () => {
    const found = selectDevices(input({ affinity: [1] }));
    expect(found).toMatchObject({ kind: "chosen", input: { affinity: undefined } });
  });
});

describe("a strategy", () => {
  const question: Question = { available: ["gpu-0"], mustInclude: [], size: 2 };
  const asks: AllocationStrategy = () => ({ ask: question });
  const instead = { ids: ["gpu-0", "gpu-1"] };

  test("may ask the device plugin once", () => {
    expect(selectDevices(input({ strategy: asks, canAsk: true }))).toEqual({ kind: "ask", question });
    expect(chosen(input({ strategy: asks, canAsk: true, preferred: [] }))).toEqual({
      ...instead,
      violation: "asked the device plugin twice",
    });
  });

  test("may not ask one that gives no preference", () => {
    expect(chosen(input({ strategy: asks }))).toEqual({
      ...instead,
      violation: "asked a device plugin that gives no preference",
    });
  });

  test.each<{ name: string; strategy: unknown; violation: string }>([
    {
      name: "fails",
      strategy: () => {
        throw new Error("no idea");
      },
      violation: "failed: no idea",
    },
    {
      name: "answers with something else",
      strategy: () => null,
      violation: "returned null, expected a list of device ids",
    },
    {
      name: "answers with an object that asks nothing",
      strategy: () => ({}),
      violation: "returned object, expected a list of device ids",
    },
    { name: "answers too little", strategy: () => ["gpu-3"], violation: "chose 1 devices, expected 2" },
  ])("that $name is reported, and the kubelet's choice is used", ({ strategy, violation: recorded }) => {
    expect(chosen(input({ strategy: strategy as AllocationStrategy }))).toEqual({ ...instead, violation: recorded });
  });

  test("whose answer is good is followed, in its own copy", () => {
    const answer = ["gpu-3", "gpu-2"];
    const found = chosen(input({ strategy: () => answer }));
    expect(found).toEqual({ ids: answer, violation: undefined });
    expect("ids" in found && found.ids).not.toBe(answer);
  });

  test("that returns an endless id is reported with its first letters", () => {
    const { input: asked } = selectDevices(input()) as { input: Parameters<typeof violation>[1] };
    expect(violation(["x".repeat(78), "gpu-1"], asked)).toBe(`chose "${"x".repeat(78)}", which is no candidate`);
    expect(violation(["x".repeat(79), "gpu-1"], asked)).toBe(`chose "${"x".repeat(76)}..., which is no candidate`);
    expect(violation([undefined, "gpu-1"], asked)).toBe("chose undefined, which is no candidate");
  });
});
