import { describe, expect, test } from "@jest/globals";
import type { Device } from "../../../src/device/device.js";
import { Inventory } from "../../../src/device/inventory.js";
import { DeviceState } from "../../../src/manager/device-state.js";
import { containerHints } from "../../../src/manager/hints.js";
import { type ResourceRequest, resourceHints } from "../../../src/topology/hints.js";
import { device, GPU, podOf } from "../../devices.js";

/** Two near each of two nodes. */
const four = [device("a", [0]), device("b", [0]), device("c", [1]), device("d", [1])];

function hints(
  devices: readonly Device[],
  request: number,
  parts: Partial<ResourceRequest> & { used?: string[] } = {},
) {
  const inventory = new Inventory();
  inventory.reported(GPU, devices);
  const { used = [], ...rest } = parts;
  const known = inventory.get(GPU);
  const taken = (id: string) => used.includes(id);
  return resourceHints({ machineNodes: [0, 1], known, taken, had: [], reusable: [], request, ...rest });
}

const one = (nodes: readonly number[], preferred: boolean) => ({ nodes, preferred });

describe("hints of a resource", () => {
  test.each([
    { name: "without registered devices", found: () => hints([], 1, { known: undefined }), expected: null },
    { name: "no device says where it is", found: () => hints([device("a"), device("b")], 1), expected: null },
    {
      name: "each node has enough",
      found: () => hints(four, 2),
      expected: [one([0], true), one([1], true), one([0, 1], false)],
    },
    { name: "only both nodes have enough, ever", found: () => hints(four, 3), expected: [one([0, 1], true)] },
    { name: "fewer are free than are wanted", found: () => hints(four, 2, { used: ["a", "b", "c"] }), expected: [] },
    {
      name: "only both nodes have enough now: one could, were it empty",
      found: () => hints(four, 2, { used: ["a", "d"] }),
      expected: [one([0, 1], false)],
    },
    {
      name: "sick devices are not given, but still say what a node could hold",
      found: () => hints([device("a", [0], "Unhealthy"), device("b", [0]), device("c", [1])], 2),
      expected: [one([0, 1], false)],
    },
    {
      name: "a device near two nodes counts for each",
      found: () => hints([device("a", [0, 1])], 1),
      expected: [one([0], true), one([1], true), one([0, 1], false)],
    },
    {
      name: "nodes without any device of the resource are in no hint",
      found: () => hints(four, 1, { machineNodes: [0, 1, 2] }),
      expected: [one([0], true), one([1], true), one([0, 1], false)],
    },
  ])("when $name", ({ found, expected }) => {
    expect(found()).toEqual(expected);
  });

  test.each([
    { name: "as many as it wants: where those lie", request: 1, expected: [one([1], true), one([0, 1], false)] },
    { name: "another number: nowhere", request: 2, expected: [] },
  ])("of a container that has devices, $name", ({ request, expected }) => {
    expect(hints(four, request, { had: ["d"], used: ["d"] })).toEqual(expected);
  });

  test.each([
    {
      name: "count beside the free ones",
      found: () => hints(four, 2, { reusable: ["a"], used: ["a"] }),
      expected: [one([0], true), one([0, 1], false)],
    },
    {
      name: "are enough where nothing else is free",
      found: () => hints(four, 1, { reusable: ["d"], used: ["a", "b", "c", "d"] }),
      expected: [one([1], true), one([0, 1], false)],
    },
    {
      name: "on both nodes leave no single node",
      found: () => hints(four, 2, { reusable: ["a", "c"], used: ["a", "c"] }),
      expected: [one([0, 1], false)],
    },
    {
      name: "without topology bind to no node",
      found: () => hints([...four, device("x")], 2, { reusable: ["x"], used: ["x"] }),
      expected: [one([0], true), one([1], true), one([0, 1], false)],
    },
    {
      name: "that are not reported any more bind to no node",
      found: () => hints(four, 2, { reusable: ["gone"] }),
      expected: [one([0], true), one([1], true), one([0, 1], false)],
    },
  ])("devices of the pod's init containers $name", ({ found, expected }) => {
    expect(found()).toEqual(expected);
  });
});

test("what an init container leaves to the pod draws its later containers to the same node, and no other pod's", () => {
  const state = new DeviceState();
  state.inventory.reported(GPU, four);
  const allocation = { podUid: "p", container: "init", resource: GPU, devices: new Map([[1, ["d"]]]) };
  state.records.insert({ ...allocation, response: undefined, encoded: undefined });
  state.reusable.begin("p");
  state.reusable.add(GPU, ["d"]);
  const hintsFor = (uid: string) => {
    const pod = podOf(uid, [{ gpus: 1 }]);
    return containerHints(state, pod, pod.spec.containers[0] as (typeof pod.spec.containers)[0], [0, 1]).get(GPU);
  };
  expect(hintsFor("p")).toEqual([one([1], true), one([0, 1], false)]);
  expect(hintsFor("q")).toEqual([one([0], true), one([1], true), one([0, 1], false)]);
});
