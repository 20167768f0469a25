import { describe, expect, test } from "@jest/globals";
import type { AllocateAnswer } from "../src/endpoint.js";
import type { Choice } from "../src/manager/ports.js";
import { device, devices, endpoint, GPU, idsOf, managerOf, podOf } from "./devices.js";

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

  test("an answer without a container is an error, and takes nothing", async () => {
    const { manager } = managerOf();
    const empty: AllocateAnswer = { response: undefined, text: "&AllocateResponse{}" };
    manager.connected(GPU, endpoint({ allocate: async () => empty }));
    manager.reported(GPU, devices(1));
    await expect(manager.allocate(podOf("p", [{ gpus: 1 }]), first)).rejects.toThrow(
      "no containers return in allocation response &AllocateResponse{}",
    );
    expect(manager.records.pods()).toEqual([]);
  });

  test.each([
    { name: "chooses too few", strategy: () => [], why: "chose 0 devices, expected 1" },
    {
      name: "throws",
      strategy: () => {
        throw new Error("oh");
      },
      why: "failed: oh",
    },
    {
      name: "asks where nobody answers",
      strategy: () => ({ ask: { available: [], mustInclude: [], size: 1 } }),
      why: "asked a device plugin that gives no preference",
    },
  ])("a strategy that $name is replaced by the kubelet's, by name", async ({ strategy, why }) => {
    const choices: Choice[] = [];
    const { manager } = managerOf({ strategy, chosen: (choice) => choices.push(choice) });
    manager.connected(GPU, endpoint());
    manager.reported(GPU, devices(2));
    await manager.allocate(podOf("p", [{ gpus: 1 }]), first);
    expect(choices.map(({ ids, violation }) => ({ ids, violation }))).toEqual([{ ids: ["gpu-0"], violation: why }]);
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
