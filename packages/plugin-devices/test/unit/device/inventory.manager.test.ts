import { describe, expect, test } from "@jest/globals";
import { STOP_GRACE_PERIOD } from "../../../src/device/inventory.js";
import { device, devices, endpoint, GPU, idsOf, managerOf, podOf } from "../../devices.js";

const [first] = podOf("p", [{ gpus: 1 }]).spec.containers;
if (first === undefined) throw new Error("no container");

describe("the device manager", () => {
  test("devices that are on their way to one container are not given to another one", async () => {
    const { manager, world } = managerOf();
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    manager.connected(
      GPU,
      endpoint({
        async allocate() {
          await waiting;
          return { response: { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }, text: "" };
        },
      }),
    );
    manager.reported(GPU, devices(2));
    const both = ["p", "q"].map((uid) => {
      world.active.add(uid);
      return manager.allocate(podOf(uid, [{ gpus: 1 }]), first);
    });
    release();
    await Promise.all(both);
    expect([idsOf(manager, "p"), idsOf(manager, "q")]).toEqual([["gpu-0"], ["gpu-1"]]);
  });

  test("a pod that asks for a resource whose plugin is gone for good is refused, if pods had devices of it", async () => {
    const { manager, world } = managerOf();
    manager.connected(GPU, endpoint());
    manager.reported(GPU, devices(1));
    await manager.allocate(podOf("p", [{ gpus: 1 }]), first);
    manager.disconnected(GPU);
    manager.free("p");
    world.now += STOP_GRACE_PERIOD + 1;
    expect(manager.capacity().removed).toEqual([GPU]);
    const refused = manager.allocate(podOf("q", [{ gpus: 1 }]), first);
    await expect(refused).rejects.toThrow(`cannot allocate unregistered device ${GPU}`);
  });

  test("a plugin that dies in the middle of Allocate leaves nothing behind", async () => {
    const { manager } = managerOf();
    const dying = endpoint({ allocate: () => Promise.reject(new Error("rpc error: code = Unavailable desc = EOF")) });
    manager.connected(GPU, dying);
    manager.reported(GPU, devices(1));
    await expect(manager.allocate(podOf("p", [{ gpus: 1 }]), first)).rejects.toThrow("Unavailable");
    expect(manager.records.inUse(GPU).size).toBe(0);
    manager.connected(GPU, endpoint());
    await manager.allocate(podOf("q", [{ gpus: 1 }]), first);
    expect(idsOf(manager, "q")).toEqual(["gpu-0"]);
  });

  test("a device that turns sick while the plugin is asked what it prefers is not given", async () => {
    const { manager } = managerOf();
    const asked = endpoint({
      options: { preStartRequired: false, getPreferredAllocationAvailable: true },
      async preferredAllocation() {
        manager.reported(GPU, [device("gpu-0", [], "Unhealthy"), device("gpu-1"), device("gpu-2")]);
        return ["gpu-0"];
      },
    });
    manager.connected(GPU, asked);
    manager.reported(GPU, devices(3));
    await manager.allocate(podOf("p", [{ gpus: 1 }]), first);
    expect(idsOf(manager, "p")).toEqual(["gpu-1"]);
  });

  test("the undo of an admission gives back what it took, and leaves what the pod had", async () => {
    const { manager } = managerOf();
    manager.connected(GPU, endpoint());
    manager.reported(GPU, devices(3));
    const pod = podOf("p", [{ gpus: 1 }, { gpus: 1 }]);
    const [one, two] = pod.spec.containers;
    if (one === undefined || two === undefined) throw new Error("no containers");
    await manager.allocate(pod, one);
    const undo = manager.undoPoint("p");
    await manager.allocate(pod, two);
    undo();
    expect(manager.records.inUse(GPU).size).toBe(1);
    expect(idsOf(manager, "p")).toEqual(["gpu-0"]);
  });

  test("nothing is collected before all sources have spoken", async () => {
    const { manager, world } = managerOf({}, { sourcesReady: false });
    manager.connected(GPU, endpoint());
    manager.reported(GPU, devices(1));
    await manager.allocate(podOf("p", [{ gpus: 1 }]), first);
    manager.endAdmission("p");
    expect(manager.collectGarbage()).toBe(false);
    world.sourcesReady = true;
    expect(manager.collectGarbage()).toBe(true);
    expect(manager.records.pods()).toEqual([]);
  });
});
