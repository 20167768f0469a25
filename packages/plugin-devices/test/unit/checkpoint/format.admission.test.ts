/** What a pod gets at its admission, and with which words it is refused. */
import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { decodeCheckpoint } from "../../../src/checkpoint/format.js";
import { devices, GPU } from "../../devices.js";
import { phase, rows, running, start, user } from "../agent/story.js";

describe("admission", () => {
  test("a pod gets its devices, the node reports their number, and the container gets the plugin's response", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2), {
      allocate: async (ids) => ({
        envs: { IDS: ids.join(",") },
        mounts: [{ containerPath: "/data", hostPath: "/srv/data", readOnly: true }],
        devices: [{ containerPath: "/dev/gpu", hostPath: "/dev/null", permissions: "rw" }],
        annotations: { "vendor.example/gpu": "yes" },
        cdiDevices: ["vendor.example/gpu=0"],
      }),
    });
    await running(agent, user("a", 1));
    const config = agent.runtime.configOf(agent.pod("a").metadata.uid, "main");
    expect(config.envs).toContainEqual({ key: "IDS", value: "gpu-0" });
    expect(config.mounts).toContainEqual(
      expect.objectContaining({ containerPath: "/data", hostPath: "/srv/data", readonly: true }),
    );
    expect(config.devices).toEqual([{ containerPath: "/dev/gpu", hostPath: "/dev/null", permissions: "rw" }]);
    expect(config.cdiDevices).toEqual(["vendor.example/gpu=0"]);
    expect(config.annotations["vendor.example/gpu"]).toBe("yes");
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy"]);
  });

  test("a pod gets all its devices or none, and is refused with the kubelet's words", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    const greedy = aPod({
      name: "greedy",
      containers: [1, 2].map((count) =>
        aContainer({ name: `c${count}`, resources: { limits: { [GPU]: String(count) } } }),
      ),
    });
    await agent.apply(greedy);
    expect(agent.pod("greedy").status).toMatchObject({
      phase: "Failed",
      reason: "UnexpectedAdmissionError",
      message: `Pod was rejected: Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: 2, Available: 1, which is unexpected`,
    });
    expect(await rows(agent)).toEqual(["gpu-0 Healthy", "gpu-1 Healthy"]);
    expect(decodeCheckpoint(io.checkpoint ?? "").entries).toEqual([]);
    await running(agent, user("modest", 2));
  });

  test("devices of init containers are reused by the containers; sidecars keep theirs", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(3));
    const limits = (count: number) => ({ resources: { limits: { [GPU]: String(count) } } });
    await agent.apply(
      aPod({
        name: "a",
        initContainers: [
          aContainer({ name: "sidecar", restartPolicy: "Always", ...limits(1) }),
          aContainer({ name: "first", ...limits(2) }),
        ],
        containers: [aContainer({ name: "main", ...limits(2) })],
      } as never),
    );
    expect(phase(agent, "a")).not.toBe("Failed");
    expect(await rows(agent)).toEqual([
      "gpu-0 Healthy a sidecar",
      "gpu-1 Healthy a first",
      "gpu-1 Healthy a main",
      "gpu-2 Healthy a first",
      "gpu-2 Healthy a main",
    ]);
  });

  test("sick devices that a pod holds do not keep another one from healthy ones", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(4));
    await running(agent, user("a", 2));
    plugin.report(devices(4).map((one, index) => (index < 2 ? { ...one, health: "Unhealthy" } : one)));
    await running(agent, user("b", 2));
    const { capacity, allocatable } = await agent.api.node();
    expect([capacity[GPU], allocatable[GPU]]).toEqual([4, 2]);
  });

  test("PreStartContainer is called before each start", async () => {
    const { agent, io } = await start();
    const prepared: string[] = [];
    await io.plug(GPU, devices(1), {
      options: { preStartRequired: true, getPreferredAllocationAvailable: false },
      preStart: (ids) => prepared.push(ids.join()),
    });
    await running(agent, user("a", 1));
    agent.runtime.exit(agent.pod("a").metadata.uid, "main", 1);
    await agent.waitFor(
      () => agent.pod("a").status?.containerStatuses?.[0]?.restartCount === 1 && prepared.length === 2,
    );
    expect(prepared).toEqual(["gpu-0", "gpu-0"]);
  });
});
