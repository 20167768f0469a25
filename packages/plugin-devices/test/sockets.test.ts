/** Real sockets: what a plugin sees of the agent, and the other way round. */
import { chown, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Pod } from "@hooklet/core";
import { systemClock } from "@hooklet/core/host";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GrpcClient, GrpcServer } from "../src/grpc/grpc.js";
import { service } from "../src/grpc/schema.js";
import { realIo } from "../src/io.js";
import { GPU, podOf } from "./devices.js";
import { FakePlugin } from "./fake-plugin.js";
import { startServers, type TestServers, until } from "./servers.js";

let agent: TestServers;
let pods: Pod[];

beforeEach(async () => {
  pods = [];
  const cpus = {
    exclusiveCpus: (uid: string, name: string) => (uid === "p" && name === "c1" ? [2, 3] : []),
    allocatableCpus: () => [1, 2, 3],
  };
  agent = await startServers({ active: () => pods, list: () => pods }, [cpus]);
});
afterEach(() => agent.stop());

const allocatable = (): number => agent.manager.capacity().allocatable[GPU] ?? 0;

describe("registration", () => {
  test("a plugin registers, reports, is asked for devices, and its health changes are seen", async () => {
    const plugin = new FakePlugin(agent.folder, GPU, {
      devices: [{ ID: "a" }, { ID: "b", topology: { nodes: [{ ID: 1 }] } }],
    });
    await plugin.start();
    await until(() => allocatable() === 2);
    expect(agent.manager.inventory.get(GPU)?.devices.map(({ nodes }) => nodes)).toEqual([[], [1]]);

    const pod = podOf("p", [{ gpus: 2 }]);
    agent.active.add("p");
    for (const container of pod.spec.containers) await agent.manager.allocate(pod, container);
    expect(agent.manager.runOptions("p", "c0")?.envs).toEqual([{ name: "DEVICES", value: "a,b" }]);

    plugin.report([{ ID: "a", health: "Unhealthy" }, { ID: "b" }]);
    await until(() => allocatable() === 1);
    plugin.kill();
    await until(() => allocatable() === 0);
    expect(agent.manager.capacity().capacity).toEqual({ [GPU]: 2 });
    expect(agent.told.join()).toMatch(
      /DevicePluginGone: listAndWatch ended unexpectedly for device plugin vendor.example\/gpu: rpc error: code = /,
    );
  });

  test("a plugin that registers again takes the place of the one before, and its end changes nothing", async () => {
    const first = new FakePlugin(agent.folder, GPU, { devices: [{ ID: "a" }] }, "first.sock");
    const second = new FakePlugin(agent.folder, GPU, { devices: [{ ID: "a" }, { ID: "b" }] }, "second.sock");
    await first.start();
    await until(() => allocatable() === 1);
    await second.start();
    await until(() => allocatable() === 2);
    first.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(allocatable()).toBe(2);
    second.kill();
  });

  test("the registration socket is its owner's alone, in a folder that nobody else can look into", async () => {
    const socket = await lstat(join(agent.folder, "kubelet.sock"));
    expect([socket.isSocket(), (socket.mode & 0o777).toString(8)]).toEqual([true, "600"]);
    expect(((await lstat(agent.folder)).mode & 0o777).toString(8)).toBe("750");
  });

  test("a socket that is taken away is made again", async () => {
    await rm(join(agent.folder, "kubelet.sock"));
    await agent.servers.refresh();
    const plugin = new FakePlugin(agent.folder, GPU);
    await plugin.start();
    await until(() => allocatable() === 1);
    plugin.kill();
  });

  test("a second agent does not take the folder of a living one", async () => {
    await expect(
      realIo(systemClock).serveRegistration(join(agent.folder, "kubelet.sock"), async () => {}),
    ).rejects.toThrow("expected nobody to serve there");
  });
});

describe("plugins found by the watcher", () => {
  const registry = (): string => join(agent.folder, "..", "reg");

  async function announce(
    name: string,
    info: object,
  ): Promise<{ readonly server: GrpcServer; readonly told: object[] }> {
    await mkdir(registry(), { recursive: true });
    const told: object[] = [];
    const server = new GrpcServer();
    server.add(service("pluginregistration", "Registration"), {
      GetInfo: async () => info,
      async NotifyRegistrationStatus(request) {
        told.push(request);
        return {};
      },
    });
    await server.listen(join(registry(), name));
    return { server, told };
  }

  test("one is asked who it is, connected, told so, and let go when its socket is gone", async () => {
    const plugin = new FakePlugin(agent.folder, GPU);
    await plugin.serve();
    const info = { type: "DevicePlugin", name: GPU, endpoint: plugin.path, supportedVersions: ["v1beta1"] };
    const { server, told } = await announce("gpu.sock", info);
    await agent.servers.look();
    await until(() => allocatable() === 1);
    expect(told).toEqual([{ pluginRegistered: true, error: "" }]);
    server.stop();
    await until(async () => !(await lstat(join(registry(), "gpu.sock")).catch(() => undefined)));
    await agent.servers.look();
    expect(allocatable()).toBe(0);
    plugin.kill();
  });

  test.each([
    {
      name: "another type",
      info: { type: "CSIPlugin", name: "x", supportedVersions: ["1.0.0"] },
      error: /^RegisterPlugin error -- no handler registered for plugin type: CSIPlugin at socket /,
    },
    {
      name: "no common version",
      info: { type: "DevicePlugin", name: GPU, supportedVersions: ["v1alpha1"] },
      error:
        /^RegisterPlugin error -- plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions \[v1alpha1\]$/,
    },
  ])("$name is told why it is refused", async ({ info, error }) => {
    const { server, told } = await announce("x.sock", info);
    await agent.servers.look();
    expect(told).toEqual([{ pluginRegistered: false, error: expect.stringMatching(error) }]);
    server.stop();
  });
});

describe("the pod resources API", () => {
  test("tells of pods, one pod and what is allocatable, and refuses more than a burst", async () => {
    const plugin = new FakePlugin(agent.folder, GPU, {
      devices: [{ ID: "a", topology: { nodes: [{ ID: 0 }] } }, { ID: "b" }],
    });
    await plugin.start();
    await until(() => allocatable() === 2);
    const pod = podOf("p", [{ gpus: 1 }, {}]);
    pods.push(pod);
    agent.active.add("p");
    for (const container of pod.spec.containers) await agent.manager.allocate(pod, container);
    const client = new GrpcClient(join(agent.folder, "..", "pr", "kubelet.sock"), systemClock);
    const call = (rpc: string, request = {}) => client.call(service("v1", "PodResourcesLister"), rpc, request, 5_000);
    const a = { resourceName: GPU, deviceIds: ["a"], topology: { nodes: [{ ID: 0 }] } };
    const b = { resourceName: GPU, deviceIds: ["b"], topology: null };
    const own = {
      name: "p",
      namespace: "default",
      cpuIds: [],
      memory: [],
      containers: [
        { name: "c0", devices: [a], cpuIds: [], memory: [], dynamicResources: [] },
        { name: "c1", devices: [], cpuIds: [2, 3], memory: [], dynamicResources: [] },
      ],
    };
    expect(await call("List")).toEqual({ podResources: [own] });
    expect(await call("Get", { podName: "p", podNamespace: "default" })).toEqual({ podResources: own });
    expect(await call("GetAllocatableResources")).toEqual({ devices: [a, b], cpuIds: [1, 2, 3], memory: [] });
    await expect(call("Get", { podName: "q", podNamespace: "default" })).rejects.toThrow(
      "rpc error: code = Unknown desc = pod q in namespace default not found",
    );
    const burst = await Promise.allSettled(Array.from({ length: 40 }, () => call("List")));
    const refused = burst.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThan(10);
    expect(String(refused[0]?.reason)).toContain("rpc error: code = ResourceExhausted desc = rejected by rate limit");
    client.close();
    plugin.kill();
  });
});

describe("sockets that are not what they should be", () => {
  test.each([
    { name: "a regular file", make: (path: string) => writeFile(path, ""), why: /is a file, expected a socket/ },
    {
      name: "a symbolic link",
      make: (path: string) => symlink("/dev/null", path),
      why: /is a symbolic link, expected a socket/,
    },
  ])("$name is not dialled, and the plugin is told", async ({ make, why }) => {
    const plugin = new FakePlugin(agent.folder, GPU);
    await make(plugin.path);
    await expect(plugin.register()).rejects.toThrow(why);
    expect(agent.manager.inventory.names()).toEqual([]);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot("another user's socket is not dialled, and the plugin is told", async () => {
    const plugin = new FakePlugin(agent.folder, GPU);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(plugin.path, resolve));
    await chown(plugin.path, 12_345, 12_345);
    await expect(plugin.register()).rejects.toThrow(/belongs to uid 12345, expected root or our own user/);
    server.close();
  });
});
