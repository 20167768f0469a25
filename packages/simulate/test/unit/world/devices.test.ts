/** Device plugins of a scenario: which register with an agent, what they report, and what they give. */
import type { Device, DevicesIo } from "@hooklet/plugin-devices";
import { expect, test } from "@jest/globals";
import { Devices } from "../../../src/world/devices.js";

const GPU = "example.com/gpu";
const FOLDER = "/var/lib/kubelet/device-plugins";
const given = {
  [GPU]: [
    { id: "a", numa: 1, health: "Healthy" },
    { id: "b", numa: [0, 1], health: "Unhealthy" },
  ],
  "example.com/fpga-1": [{ id: "f", health: "Healthy" }],
};
const GPUS = [
  { id: "a", health: "Healthy", nodes: [1] },
  { id: "b", health: "Unhealthy", nodes: [0, 1] },
];

function world() {
  const loads: string[] = [];
  const real = { codec: { load: async () => void loads.push("load") }, notify: "real" } as unknown as DevicesIo;
  const refusals: string[] = [];
  const devices = new Devices(real, given, (resource, error) =>
    refusals.push(`${resource}: ${(error as Error).message}`),
  );
  const registered: unknown[] = [];
  /** An agent that takes registrations. */
  const agent = (refuses = false) =>
    devices.io().serveRegistration(`${FOLDER}/kubelet.sock`, async (request, folder) => {
      registered.push([request, folder]);
      if (refuses) throw new Error("no such version");
    });
  const dial = (endpoint: string) => devices.io().dial(`${FOLDER}/${endpoint}`, new AbortController().signal);
  return { real, devices, refusals, registered, agent, dial, loads };
}

const request = (resourceName: string, endpoint: string) => [{ version: "v1beta1", endpoint, resourceName }, FOLDER];
const gpu = request(GPU, "example.com_gpu.sock");

test("each resource registers with an agent that starts, by an endpoint of its name", async () => {
  const { registered, agent, devices, real, loads } = world();
  const server = await agent();
  expect(registered).toEqual([gpu, request("example.com/fpga-1", "example.com_fpga-1.sock")]);
  expect(await server.isThere()).toBe(true);
  await devices.load();
  expect([loads, devices.io().notify]).toEqual([["load"], real.notify]);
});

test("there are no other sockets than those of the scenario", async () => {
  const { devices, dial } = world();
  expect(await devices.io().registrySockets("/x")).toEqual([]);
  expect(await (await devices.io().servePodResources("/x", {} as never)).isThere()).toBe(true);
  await expect(dial("other.sock")).rejects.toThrow(
    `dial unix ${FOLDER}/other.sock: connect: no such file or directory`,
  );
});

test("an agent that refuses a plugin is named", async () => {
  const { refusals, agent } = world();
  await agent(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(refusals).toEqual([`${GPU}: no such version`, "example.com/fpga-1: no such version"]);
});

test("a plugin that is gone registers with no new agent; once it is back with all that are there, once", async () => {
  const { registered, agent, devices } = world();
  const [first, second] = [await agent(), await agent()];
  devices.end(GPU);
  registered.length = 0;
  await agent();
  expect(registered).toEqual([request("example.com/fpga-1", "example.com_fpga-1.sock")]);
  registered.length = 0;
  await first.stop();
  devices.back(GPU);
  devices.back(GPU);
  expect(registered).toEqual([gpu, gpu]);
  await second.stop();
});

test("its devices are reported with their NUMA nodes, and again when the health of one changes", async () => {
  const { dial, devices } = world();
  const client = await dial("example.com_gpu.sock");
  const reports: (readonly Device[])[] = [];
  const ends: unknown[] = [];
  client.listAndWatch({
    reported: (all: readonly Device[]) => void reports.push(all),
    ended: (error: unknown) => void ends.push(error),
  } as never);
  devices.setHealth(GPU, "a", "Unhealthy");
  devices.setHealth(GPU, "none", "Unhealthy");
  const changed = [{ ...GPUS[0], health: "Unhealthy" }, GPUS[1]];
  expect(reports).toEqual([GPUS, changed, changed]);
  devices.end(GPU);
  devices.end(GPU);
  devices.setHealth(GPU, "a", "Healthy");
  expect([reports.length, ends]).toEqual([3, [undefined]]);
});

test("a client that is closed hears nothing more", async () => {
  const { dial, devices } = world();
  const client = await dial("example.com_gpu.sock");
  const heard: string[] = [];
  client.close();
  client.listAndWatch({ reported: () => heard.push("reported"), ended: () => heard.push("ended") } as never);
  client.close();
  devices.setHealth(GPU, "a", "Unhealthy");
  devices.end(GPU);
  expect(heard).toEqual(["reported"]);
});

test("a device has no NUMA nodes where the scenario names none", async () => {
  const { dial } = world();
  const reports: unknown[] = [];
  (await dial("example.com_fpga-1.sock")).listAndWatch({ reported: (all: unknown) => void reports.push(all) } as never);
  expect(reports).toEqual([[{ id: "f", health: "Healthy", nodes: [] }]]);
});

test("an allocation names its devices in the container's environment, and asks for nothing else", async () => {
  const client = await world().dial("example.com_gpu.sock");
  expect(await client.getOptions()).toEqual({ preStartRequired: false, getPreferredAllocationAvailable: false });
  expect(await client.preferredAllocation({} as never)).toBeUndefined();
  expect(await client.allocate(["a", "b"])).toEqual({
    response: { envs: { EXAMPLE_COM_GPU: "a,b" }, mounts: [], devices: [], annotations: {}, cdiDevices: [] },
    text: '{"EXAMPLE_COM_GPU":"a,b"}',
  });
});

test.each(["setHealth", "end", "back"] as const)(
  "%s of a resource that the scenario does not have is an error",
  (step) => {
    const { devices } = world();
    expect(() => devices[step]("example.com/no", "a", "Healthy")).toThrow(
      "the scenario has no devices of example.com/no",
    );
  },
);
