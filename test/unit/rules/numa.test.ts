/** The device manager and the CPU manager on one machine of two NUMA nodes: what the topology manager is for. */
import cgroups from "@hooklet/plugin-cgroups";
import devices, { devicesIo } from "@hooklet/plugin-devices";
import {
  aContainer,
  aPod,
  bindSeam,
  SimulatedHost,
  startTestAgent,
  type TestAgent,
  VirtualClock,
} from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { FakeIo } from "../../../packages/plugin-devices/test/unit/fake-io.js";

const GPU = "vendor.example/gpu";

/** Processors 0 to 3 and gpu-0 on node 0, 4 to 7 and gpu-1 on node 1; processor 0 is the system's. */
async function start(options: object): Promise<{ readonly agent: TestAgent; readonly io: FakeIo }> {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1", cpus: 8 });
  for (const [node, cpus] of ["0-3", "4-7"].entries()) {
    host.kernel.set(`/sys/devices/system/node/node${node}/cpulist`, `${cpus}\n`);
  }
  const io = new FakeIo();
  const agent = await startTestAgent({
    clock,
    host,
    world: [bindSeam(devicesIo, () => io)],
    node: { capacity: { cpu: "8" }, systemReserved: { cpu: "500m" } },
    plugins: [
      [devices, options],
      [cgroups, { cgroupRoot: "/", cpuManagerPolicy: "static" }],
    ],
  });
  await io.plug(
    GPU,
    [0, 1].map((node) => ({ id: `gpu-${node}`, nodes: [node], health: "Healthy" })),
  );
  return { agent, io };
}

/** A Guaranteed pod with CPUs of its own, and perhaps a device. */
function pod(name: string, cpu: number, gpus: number) {
  const amounts = { cpu: String(cpu), memory: "64Mi", ...(gpus === 0 ? {} : { [GPU]: String(gpus) }) };
  return aPod({ name, containers: [aContainer({ resources: { requests: amounts, limits: amounts } })] });
}

const phase = (agent: TestAgent, name: string): string | undefined => agent.pod(name).status?.phase;

/** By pod: its devices and CPUs, as an exporter sees them. */
const given = (io: FakeIo): Readonly<Record<string, readonly [string, string]>> =>
  Object.fromEntries(
    (io.podResources?.list() ?? []).map(({ name, containers }) => [
      name,
      [
        containers.flatMap((one) => one.devices.flatMap(({ deviceIds }) => deviceIds)).join(),
        containers.flatMap(({ cpuIds }) => cpuIds).join(),
      ] as const,
    ]),
  );

describe("single-numa-node", () => {
  test.each(["container", "pod"])("scope %s: each pod's CPUs lie where its device lies", async (scope) => {
    const { agent, io } = await start({ topologyManagerPolicy: "single-numa-node", topologyManagerScope: scope });
    await agent.apply(pod("first", 2, 1));
    await agent.waitFor(() => phase(agent, "first") === "Running");
    await agent.apply(pod("second", 2, 1));
    await agent.waitFor(() => phase(agent, "second") === "Running");
    expect(given(io)).toEqual({ first: ["gpu-0", "1,2"], second: ["gpu-1", "4,5"] });
    expect(io.podResources?.allocatable().cpuIds).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("a pod whose CPUs and device cannot come from one node is refused, and takes neither", async () => {
    const { agent, io } = await start({ topologyManagerPolicy: "single-numa-node" });
    await agent.apply(pod("busy", 3, 0));
    await agent.waitFor(() => phase(agent, "busy") === "Running");
    await agent.apply(pod("far", 3, 1));
    await agent.waitFor(() => phase(agent, "far") === "Running");
    expect(given(io)).toMatchObject({ busy: ["", "1,2,3"], far: ["gpu-1", "4,5,6"] });
    // gpu-0 is free on node 0, a processor on node 1.
    await agent.apply(pod("torn", 1, 1));
    expect(agent.pod("torn").status).toMatchObject({
      phase: "Failed",
      reason: "TopologyAffinityError",
      message: "Pod was rejected: Resources cannot be allocated with Topology locality",
    });
    expect(Object.keys(given(io)).sort()).toEqual(["busy", "far"]);
  });
});

test("none: the lowest CPUs and the first device, wherever they lie, and a refused pod gives its CPUs back", async () => {
  const { agent, io } = await start({});
  await agent.apply(pod("busy", 3, 0));
  await agent.apply(pod("torn", 1, 1));
  await agent.waitFor(() => phase(agent, "torn") === "Running");
  expect(given(io)).toMatchObject({ torn: ["gpu-0", "4"] });
  await agent.apply(pod("greedy", 1, 2));
  expect(agent.pod("greedy").status?.reason).toBe("UnexpectedAdmissionError");
  const cpus = (await agent.api.view("cpus"))?.rows ?? [];
  expect(cpus.filter(({ pool }) => pool === "exclusive").map(({ cpu }) => cpu)).toEqual([1, 2, 3, 4]);
});
