import { describe, expect, test } from "@jest/globals";
import { Inventory, STOP_GRACE_PERIOD } from "../../../src/device/inventory.js";
import { device, devices, GPU } from "../../devices.js";

describe("the inventory", () => {
  test("a report is the complete list: what it leaves out is gone", () => {
    const inventory = new Inventory();
    inventory.connected(GPU);
    inventory.reported(GPU, devices(3));
    inventory.reported(GPU, [device("gpu-1", [], "Unhealthy")]);
    expect(inventory.capacity(0)).toEqual({ capacity: { [GPU]: 1 }, allocatable: { [GPU]: 0 }, removed: [] });
  });

  test("a plugin that is back in time begins where it was, unhealthy until it reports", () => {
    const inventory = new Inventory();
    inventory.connected(GPU);
    inventory.reported(GPU, devices(2));
    inventory.disconnected(GPU, 0);
    inventory.connected(GPU);
    expect(inventory.capacity(10 * STOP_GRACE_PERIOD)).toMatchObject({
      capacity: { [GPU]: 2 },
      allocatable: { [GPU]: 0 },
    });
  });

  test("a connection that ends keeps what was reported, until the grace period is over", () => {
    const inventory = new Inventory();
    inventory.reported(GPU, devices(2));
    inventory.stopped(GPU, 0);
    expect(inventory.capacity(STOP_GRACE_PERIOD)).toEqual({
      capacity: { [GPU]: 2 },
      allocatable: { [GPU]: 2 },
      removed: [],
    });
    expect(inventory.capacity(STOP_GRACE_PERIOD + 1)).toEqual({ capacity: {}, allocatable: {}, removed: [GPU] });
  });

  test("of an id that is reported twice the last one counts", () => {
    const inventory = new Inventory();
    inventory.reported(GPU, [device("a"), device("a", [1], "Unhealthy")]);
    expect(inventory.get(GPU)?.devices).toEqual([device("a", [1], "Unhealthy")]);
  });

  test("the place of a device is still known when its resource is forgotten", () => {
    const inventory = new Inventory();
    inventory.connected(GPU);
    inventory.reported(GPU, [device("a", [1])]);
    inventory.disconnected(GPU, 0);
    inventory.capacity(STOP_GRACE_PERIOD + 1);
    expect(inventory.device(GPU, "a")).toEqual(device("a", [1]));
  });

  test("a plugin that has not reported yet has no devices, and is not taken for one of an earlier life", () => {
    const inventory = new Inventory();
    inventory.connected(GPU);
    expect(inventory.get(GPU)).toMatchObject({ devices: [], remembered: false, stoppedAt: undefined });
    expect(inventory.capacity(0)).toEqual({ capacity: { [GPU]: 0 }, allocatable: { [GPU]: 0 }, removed: [] });
  });

  test("a resource of the checkpoint has no healthy devices until its plugin reports", () => {
    const inventory = new Inventory();
    inventory.remember(GPU, 0);
    expect([...inventory.healthy()]).toEqual([[GPU, []]]);
  });
});
