/** The plugin in a whole agent, in virtual time, with plugins that a test plugs in. */
import type { Pod } from "@hooklet/core";
import { aContainer, aPod, SimulatedHost, startTestAgent, VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { decodeCheckpoint } from "../src/checkpoint/format.js";
import { createDevicesPlugin } from "../src/plugin.js";
import { device, devices, GPU } from "./devices.js";
import { FakeIo } from "./fake-io.js";

async function start(options: object = {}, io = new FakeIo()) {
  const plugin = createDevicesPlugin(() => io);
  const agent = await startTestAgent({ plugins: [[plugin, options]] as never });
  return { agent, io };
}

type Story = Awaited<ReturnType<typeof start>>;
type Agent = Story["agent"];

function user(name: string, gpus: number, more: object = {}): Pod {
  return aPod({
    name,
    containers: [
      aContainer({
        name: "main",
        resources: { limits: { [GPU]: String(gpus) }, requests: { [GPU]: String(gpus) } },
        ...more,
      }),
    ],
  });
}

const phase = (agent: Agent, name: string): string | undefined => agent.pod(name).status?.phase;
const runs = (agent: Agent, name: string): boolean => phase(agent, name) === "Running";

async function rows(agent: Agent): Promise<readonly string[]> {
  const view = await agent.api.view("devices");
  return view.rows.map(({ id, health, pod, container }) => [id, health, pod, container].join(" ").trim());
}

async function running(agent: Agent, pod: Pod): Promise<void> {
  await agent.apply(pod);
  await agent.waitFor(() => runs(agent, pod.metadata.name));
}

describe("admission", () => {
  test("a pod gets its devices, the node tells how many there are, and the container gets what the plugin says", async () => {
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

  test("devices of init containers go on to the containers; sidecars keep theirs", async () => {
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

  test("devices are free again once the pod is gone, and when it has ended by itself", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await running(agent, user("a", 1));
    await agent.delete("a");
    await agent.waitFor(() => agent.api.pods().length === 0);
    await running(agent, user("b", 1));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy b main"]);
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

  test("a plugin that fails refuses the pod with its own words", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1), {
      allocate: () => Promise.reject(new Error("rpc error: code = Unknown desc = boom")),
    });
    await agent.apply(user("a", 1));
    expect(agent.pod("a").status?.message).toBe(
      "Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = boom, which is unexpected",
    );
    expect(await rows(agent)).toEqual(["gpu-0 Healthy"]);
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

describe("the topology manager, on two NUMA nodes with two devices each", () => {
  const four = devices(4, [0, 1]);

  async function node(options: object) {
    const io = new FakeIo();
    const host = new SimulatedHost({ clock: new VirtualClock() });
    for (const name of ["node0", "node1", "has_cpu"]) host.kernel.addFolder(`/sys/devices/system/node/${name}`);
    const plugin = createDevicesPlugin(() => io);
    const agent = await startTestAgent({ plugins: [[plugin, options]] as never, host });
    await io.plug(GPU, four);
    return { agent, io };
  }

  test("two devices of one container come from one node", async () => {
    const { agent } = await node({ topologyManagerPolicy: "single-numa-node" });
    await running(agent, user("a", 2));
    await running(agent, user("b", 2));
    expect(await rows(agent)).toEqual([
      "gpu-0 Healthy a main",
      "gpu-1 Healthy b main",
      "gpu-2 Healthy a main",
      "gpu-3 Healthy b main",
    ]);
  });

  /** One healthy device on each node: none has two. */
  test.each([
    { policy: "none", refused: false },
    { policy: "best-effort", refused: false },
    { policy: "restricted", refused: true },
    { policy: "single-numa-node", refused: true },
  ])(
    "$policy, when what is left lies on both: a pod of two devices is refused: $refused",
    async ({ policy, refused }) => {
      const { agent, io } = await node({ topologyManagerPolicy: policy });
      await io.plug(
        GPU,
        four.map((one) => (["gpu-2", "gpu-3"].includes(one.id) ? one : { ...one, health: "Unhealthy" })),
      );
      await agent.apply(user("pair", 2));
      await agent.advance(1_000);
      expect(agent.pod("pair").status?.reason).toBe(refused ? "TopologyAffinityError" : undefined);
      if (refused) {
        expect(agent.pod("pair").status?.message).toBe(
          "Pod was rejected: Resources cannot be allocated with Topology locality",
        );
      }
    },
  );

  test("scope pod aligns the containers of a pod with each other", async () => {
    const { agent } = await node({ topologyManagerPolicy: "single-numa-node", topologyManagerScope: "pod" });
    const limits = { resources: { limits: { [GPU]: "1" }, requests: { [GPU]: "1" } } };
    await running(
      agent,
      aPod({
        name: "pair",
        containers: [aContainer({ name: "c1", ...limits }), aContainer({ name: "c2", ...limits })],
      }),
    );
    expect(await rows(agent)).toEqual([
      "gpu-0 Healthy pair c1",
      "gpu-1 Healthy",
      "gpu-2 Healthy pair c2",
      "gpu-3 Healthy",
    ]);
  });

  test("a machine with more than eight nodes keeps no policy but none: the agent says so and does not start", async () => {
    const host = new SimulatedHost({ clock: new VirtualClock() });
    for (let index = 0; index < 9; index++) host.kernel.addFolder(`/sys/devices/system/node/node${index}`);
    const plugin = createDevicesPlugin(() => new FakeIo());
    const starting = startTestAgent({ plugins: [[plugin, { topologyManagerPolicy: "restricted" }]] as never, host });
    await expect(starting).rejects.toThrow(
      "topologyManagerPolicy restricted: expected at most 8 NUMA nodes, found 9; use none",
    );
  });
});

describe("health", () => {
  test("is in the pod's status, and changes with the plugin's reports", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    const status = () =>
      agent.pod("a").status?.containerStatuses?.[0] as { allocatedResourcesStatus?: unknown } | undefined;
    expect(status()?.allocatedResourcesStatus).toEqual([
      { name: GPU, resources: [{ resourceID: "gpu-0", health: "Healthy" }] },
    ]);
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.advance(10);
    expect(status()?.allocatedResourcesStatus).toEqual([
      { name: GPU, resources: [{ resourceID: "gpu-0", health: "Unhealthy" }] },
    ]);
  });

  test("onUnhealthy none: the container goes on", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.advance(60_000);
    expect(agent.pod("a").status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test("onUnhealthy restart: the container is started again with another device", async () => {
    const { agent, io } = await start({ onUnhealthy: "restart" });
    const plugin = await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy"), device("gpu-1")]);
    await agent.waitFor(() => agent.pod("a").status?.containerStatuses?.[0]?.restartCount === 1 && runs(agent, "a"));
    expect(await rows(agent)).toEqual(["gpu-0 Unhealthy", "gpu-1 Healthy a main"]);
  });

  test("onUnhealthy evict: the pod goes, and says why", async () => {
    const { agent, io } = await start({ onUnhealthy: "evict" });
    const plugin = await io.plug(GPU, devices(1));
    await running(agent, user("a", 1));
    plugin.report([device("gpu-0", [], "Unhealthy")]);
    await agent.waitFor(() => phase(agent, "a") === "Failed");
    expect(agent.pod("a").status).toMatchObject({
      reason: "DeviceUnhealthy",
      message: `Device gpu-0 of ${GPU} is unhealthy`,
    });
  });
});

describe("a restart of the agent", () => {
  test("pods that run keep their devices while their plugin is away, and when it is back", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart();
    expect(runs(agent, "a")).toBe(true);
    expect(await rows(agent)).toEqual(["gpu-0 Unknown a main"]);
    await io.plug(GPU, devices(2));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy"]);
  });

  test("a pod whose plugin is not back yet waits, others do not, and it runs as soon as the plugin is there", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(1));
    await agent.restart();
    await agent.apply(user("late", 1));
    expect(agent.pod("late").status).toMatchObject({ phase: "Pending", reason: "WaitingForDevicePlugin" });
    await running(agent, aPod({ name: "other" }));
    await agent.advance(10_000);
    await io.plug(GPU, devices(1));
    await agent.waitFor(() => runs(agent, "late"), 3_000);
  });

  test("it waits no longer than waitForPlugins, and is then refused as by a kubelet", async () => {
    const { agent, io } = await start({ waitForPlugins: "5s" });
    await io.plug(GPU, devices(1));
    await agent.restart();
    await agent.apply(user("late", 1));
    await agent.waitFor(() => phase(agent, "late") === "Failed", 7_000);
    expect(agent.pod("late").status?.message).toBe(
      `Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices ${GPU}, which is unexpected`,
    );
  });

  test("a damaged checkpoint is set aside with an event; running containers say themselves what they have", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart(() => {
      io.checkpoint = "rubbish";
    });
    expect(io.setAsideTexts).toEqual(["rubbish"]);
    expect(agent.events().map(({ reason }) => reason)).toContain("DeviceCheckpointCorrupt");
    await io.plug(GPU, devices(2));
    await running(agent, user("b", 1));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy b main"]);
  });

  test("no checkpoint: as after a first start, but for what runs", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    await running(agent, user("a", 1));
    await agent.restart(() => {
      io.checkpoint = undefined;
    });
    await io.plug(GPU, devices(2));
    expect(await rows(agent)).toEqual(["gpu-0 Healthy a main", "gpu-1 Healthy"]);
  });
});

describe("strategies, and why", () => {
  test("one of the rc file chooses, and explain tells what it chose from", async () => {
    const { agent, io } = await start({ allocation: "spread" });
    await io.plug(GPU, [device("a", [0]), device("b", [0]), device("c", [1])]);
    await running(agent, user("x", 2));
    expect(await rows(agent)).toEqual(["a Healthy x main", "b Healthy", "c Healthy x main"]);
    const [decision] = agent.api.explain("pod", "x").filter(({ plugin }) => plugin.includes("devices"));
    expect(decision).toMatchObject({ strategy: "spread", outcome: `${GPU}: a, c` });
    expect(decision?.considered.map(({ candidate, verdict, why }) => [candidate, verdict, why])).toEqual([
      [`device/${GPU}/a`, "taken", "NUMA node 0"],
      [`device/${GPU}/c`, "taken", "NUMA node 1"],
      [`device/${GPU}/b`, "free", "NUMA node 0"],
    ]);
    expect((await agent.api.explainNow("device", "c")).map(({ outcome }) => outcome)).toEqual([
      "held by container main of pod default/x",
    ]);
    expect((await agent.api.explainNow("pod", "x")).map(({ outcome }) => outcome)).toEqual(["2 devices held"]);
  });

  test("plan says what a pod would get, and takes nothing", async () => {
    const { agent, io } = await start();
    await io.plug(GPU, devices(2));
    const manifest = (count: number): string =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x" },
        spec: { containers: [{ name: "c", image: "app:1", resources: { limits: { [GPU]: count } } }] },
      });
    const outcomes = async (count: number) =>
      (await agent.api.plan("devices", { manifest: manifest(count), arguments: {} })).map(({ outcome }) => outcome);
    expect(await outcomes(1)).toEqual([`${GPU}: gpu-0`, "would be admitted"]);
    expect(await outcomes(3)).toEqual([
      `would be rejected: UnexpectedAdmissionError: Allocate failed due to requested number of devices unavailable for ${GPU}. Requested: 3, Available: 2, which is unexpected`,
    ]);
    expect(await rows(agent)).toEqual(["gpu-0 Healthy", "gpu-1 Healthy"]);
  });
});

describe("plugins that go", () => {
  test("their devices count for five minutes, then the node keeps the resource with 0", async () => {
    const { agent, io } = await start();
    const plugin = await io.plug(GPU, devices(2));
    plugin.gone();
    const amounts = async () => {
      const { capacity, allocatable } = await agent.api.node();
      return [capacity[GPU], allocatable[GPU]];
    };
    expect(await amounts()).toEqual([2, 0]);
    await agent.advance(299_000);
    expect(await amounts()).toEqual([2, 0]);
    await agent.advance(12_000);
    expect(await amounts()).toEqual([0, 0]);
  });
});
