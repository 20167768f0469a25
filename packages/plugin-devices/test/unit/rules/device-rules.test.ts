import { describe, expect, test } from "@jest/globals";
import * as words from "../../../src/allocation/messages.js";
import { containerDevices, podDeviceRequest } from "../../../src/device/device.js";
import { allocatedResourcesStatus, changedHealth } from "../../../src/device/health.js";
import { Inventory, STOP_GRACE_PERIOD } from "../../../src/device/inventory.js";
import { nodesById, PodDevices, perNuma } from "../../../src/device/pod-devices.js";
import { device, devices, GPU, nothing, podOf } from "../../devices.js";

describe("the inventory", () => {
  test("marking unhealthy keeps the capacity", () => {
    const inventory = new Inventory();
    inventory.reported(GPU, [device("a"), device("b", [], "Unhealthy")]);
    inventory.markUnhealthy(GPU);
    expect(inventory.capacity(0)).toMatchObject({ capacity: { [GPU]: 2 }, allocatable: { [GPU]: 0 } });
    expect([...(inventory.get(GPU)?.unhealthy ?? [])].sort()).toEqual(["a", "b"]);
  });

  test("devices of an unknown resource are ignored", () => {
    const inventory = new Inventory();
    inventory.stopped(GPU, 0);
    inventory.markUnhealthy(GPU);
    inventory.disconnected(GPU, 0);
    expect([inventory.names(), inventory.device(GPU, "a")]).toEqual([[], undefined]);
  });

  test("what a checkpoint remembers does not hide a plugin that is there", () => {
    const inventory = new Inventory();
    inventory.reported(GPU, devices(1));
    inventory.remember(GPU, 0);
    expect(inventory.get(GPU)).toMatchObject({ remembered: false, stoppedAt: undefined });
    inventory.remember("b.example/x", 7);
    expect(inventory.get("b.example/x")).toMatchObject({ remembered: true, stoppedAt: 7 });
    inventory.reported("b.example/x", []);
    expect(inventory.get("b.example/x")?.remembered).toBe(false);
  });

  test("one takes over all that another knows, as its own", () => {
    const [old, fresh] = [new Inventory(), new Inventory()];
    old.reported(GPU, [device("a", [1])]);
    fresh.takeOver(old);
    old.disconnected(GPU, 0);
    expect(fresh.capacity(10 * STOP_GRACE_PERIOD)).toMatchObject({ allocatable: { [GPU]: 1 } });
    expect(fresh.device(GPU, "a")).toEqual(device("a", [1]));
  });

  test("forgotten resources are reported sorted, each once", () => {
    const inventory = new Inventory();
    for (const resource of ["b.example/x", "a.example/x"]) inventory.remember(resource, 0);
    expect(inventory.capacity(STOP_GRACE_PERIOD + 1).removed).toEqual(["a.example/x", "b.example/x"]);
    expect(inventory.capacity(STOP_GRACE_PERIOD + 1).removed).toEqual([]);
  });

  test("names are sorted, healthy devices come in natural order", () => {
    const inventory = new Inventory();
    inventory.reported("z.example/x", []);
    inventory.reported(GPU, [device("gpu-10"), device("gpu-9"), device("gpu-1", [], "Unhealthy")]);
    expect([...inventory.healthy()]).toEqual([
      [GPU, ["gpu-9", "gpu-10"]],
      ["z.example/x", []],
    ]);
    expect(
      inventory
        .allocatable()
        .get(GPU)
        ?.map(({ id }) => id),
    ).toEqual(["gpu-9", "gpu-10"]);
  });
});

describe("health", () => {
  test("a container's devices are healthy, unhealthy, or, when unknown, healthy", () => {
    const known = new Map([
      ["b", device("b", [], "Unhealthy")],
      ["c", device("c")],
    ]);
    const given = new Map([
      [0, ["c", "b"]],
      [1, ["a"]],
    ]);
    expect(allocatedResourcesStatus([{ resource: GPU, devices: given }], (_, id) => known.get(id))).toEqual([
      {
        name: GPU,
        resources: [
          { resourceID: "a", health: "Healthy" },
          { resourceID: "b", health: "Unhealthy" },
          { resourceID: "c", health: "Healthy" },
        ],
      },
    ]);
  });

  test("is changed for new, returned or different devices; removed ones are not listed", () => {
    const by = (...all: ReturnType<typeof device>[]) => new Map(all.map((one) => [one.id, one]));
    const before = by(device("same"), device("sick", [], "Unhealthy"), device("well"), device("gone"));
    const now = by(device("same"), device("sick"), device("well", [], "broken"), device("new"));
    expect(changedHealth(before, now)).toEqual(["sick", "well", "new"]);
    expect(changedHealth(by(device("a", [], "x")), by(device("a", [], "y")))).toEqual([]);
  });
});

describe("what pods ask for", () => {
  const isDevice = (resource: string) => resource === GPU;
  const container = (limits?: Record<string, string>) => ({
    name: "c",
    image: "app:1",
    ...(limits && { resources: { limits } }),
  });

  test("is what limits name, of device resources alone", () => {
    expect(containerDevices(container({ cpu: "1", [GPU]: "2" }), isDevice)).toEqual([[GPU, 2]]);
    expect(containerDevices(container(), isDevice)).toEqual([]);
    expect(podDeviceRequest(podOf("p", [{ gpus: 1 }, { gpus: 2 }, {}]), isDevice)).toEqual({ [GPU]: 3 });
  });
});

describe("which pods have which devices", () => {
  const allocation = (podUid: string, container: string, ids: readonly string[], resource = GPU) => ({
    podUid,
    container,
    resource,
    devices: new Map([[0, ids]]),
    response: nothing,
    encoded: undefined,
  });

  test("a device that two containers of a pod have is in use until both gave it back", () => {
    const records = new PodDevices();
    records.insert(allocation("u", "init", ["a"]));
    records.insert(allocation("u", "main", ["a", "b"]));
    expect(records.inUse(GPU).size).toBe(2);
    records.deleteContainer("u", "init");
    expect([records.inUse(GPU).has("a"), records.hasPod("u")]).toEqual([true, true]);
    records.deleteContainer("u", "main");
    expect([records.inUse(GPU).size, records.hasPod("u"), records.resourcesInUse()]).toEqual([0, false, []]);
    records.deleteContainer("u", "main");
    expect(records.pods()).toEqual([]);
  });

  test("a new record replaces the one before", () => {
    const records = new PodDevices();
    records.insert(allocation("u", "main", ["a"]));
    records.insert(allocation("u", "main", ["b"]));
    expect([records.inUse(GPU).has("a"), records.inUse(GPU).has("b")]).toEqual([false, true]);
    expect(records.ofPod("u")).toHaveLength(1);
  });

  test("a pod that ends releases all, of every resource; one without devices is reported as such", () => {
    const records = new PodDevices();
    records.insert(allocation("u", "main", ["a"]));
    records.insert(allocation("u", "side", ["x"], "b.example/x"));
    records.insert(allocation("v", "main", ["b"]));
    expect([...records.all()].map(({ podUid, container }) => `${podUid}/${container}`)).toEqual([
      "u/main",
      "u/side",
      "v/main",
    ]);
    expect(records.resourcesInUse()).toEqual([GPU, "b.example/x"]);
    expect([records.delete("u"), records.delete("u")]).toEqual([true, false]);
    expect([records.resourcesInUse(), [...records.all()].length, records.inUse("b.example/x").size]).toEqual([
      [GPU],
      1,
      0,
    ]);
    expect([records.ofContainer("v", "main").length, records.ofContainer("u", "main"), records.ofPod("u")]).toEqual([
      1,
      [],
      [],
    ]);
    expect(records.get("v", "main", "b.example/x")).toBeUndefined();
  });

  test("ids stand under each node that they are near to, under -1 without topology, nodes ascending", () => {
    const known = new Map([
      ["a", device("a", [1, 0])],
      ["b", device("b", [1])],
    ]);
    expect([...perNuma(["b", "a", "c", "a"], (id) => known.get(id))]).toEqual([
      [-1, ["c"]],
      [0, ["a"]],
      [1, ["b", "a"]],
    ]);
    const back = nodesById(
      new Map([
        [1, ["b", "a"]],
        [-1, ["c"]],
        [0, ["a"]],
      ]),
    );
    expect([...back]).toEqual([
      ["c", []],
      ["a", [0, 1]],
      ["b", [1]],
    ]);
  });
});

test("refusals are in the kubelet's words", () => {
  expect([
    words.changedRequest("u", "c", GPU, 1, 2),
    words.unregistered(GPU),
    words.noHealthyDevices(GPU),
    words.noLongerHealthy(GPU),
    words.tooFewDevices(GPU, 2, 1),
    words.unknownPlugin(GPU),
    words.endpointStopped(GPU),
    words.noContainersReturned("{}"),
    words.preferredFailed("why"),
    words.preStartFailed("why"),
    words.endpointNotFound(GPU),
    words.nothingAllocated("u", "c", GPU),
    words.allocateFailed("why"),
    words.topologyAffinityError(),
  ]).toEqual([
    'pod "u" container "c" changed request for resource "vendor.example/gpu" from 1 to 2',
    "cannot allocate unregistered device vendor.example/gpu",
    "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu",
    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices vendor.example/gpu",
    "requested number of devices unavailable for vendor.example/gpu. Requested: 2, Available: 1",
    "unknown Device Plugin vendor.example/gpu",
    "endpoint vendor.example/gpu has been stopped",
    "no containers return in allocation response {}",
    "device plugin GetPreferredAllocation rpc failed with err: why",
    "device plugin PreStartContainer rpc failed with err: why",
    "endpoint not found in cache for a registered resource: vendor.example/gpu",
    "no devices found allocated in local cache for pod u, container c, resource vendor.example/gpu",
    { reason: "UnexpectedAdmissionError", message: "Allocate failed due to why, which is unexpected" },
    { reason: "TopologyAffinityError", message: "Resources cannot be allocated with Topology locality" },
  ]);
});
