import { describe, expect, test } from "@jest/globals";
import { Inventory, STOP_GRACE_PERIOD } from "../../../src/device/inventory.js";
import { device, GPU } from "../../devices.js";

describe("the inventory", () => {
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
