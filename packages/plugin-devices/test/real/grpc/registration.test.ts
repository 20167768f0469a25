/** Plugins that register: what they see of the agent, and which sockets it dials. */
import { chown, lstat, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { realIo } from "../../../src/io.js";
import { GPU, podOf } from "../../devices.js";
import { FakePlugin } from "../fake-plugin.js";
import { startServers, type TestServers, until } from "../servers.js";

let agent: TestServers;

beforeEach(async () => {
  agent = await startServers();
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
    expect(agent.recorded.join()).toMatch(
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

  test("the registration socket is its owner's alone, in a private folder", async () => {
    const socket = await lstat(join(agent.folder, "kubelet.sock"));
    expect([socket.isSocket(), (socket.mode & 0o777).toString(8)]).toEqual([true, "600"]);
    expect(((await lstat(agent.folder)).mode & 0o777).toString(8)).toBe("750");
  });

  test("a socket that is removed is created again", async () => {
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
    ).rejects.toThrow("expected no other server on it");
  });

  test("what an earlier life has left is cleaned away at the start, so that plugins see it; other files stay", async () => {
    await agent.servers.stop();
    const orphan = createServer();
    const left = join(agent.folder, "vendor.sock");
    await new Promise<void>((resolve) => orphan.listen(left, resolve));
    await writeFile(join(agent.folder, "kubelet_internal_checkpoint"), "{}");
    await writeFile(join(agent.folder, "DEPRECATION"), "");
    await agent.servers.open();
    expect((await readdir(agent.folder)).sort()).toEqual([
      "DEPRECATION",
      "kubelet.sock",
      "kubelet_internal_checkpoint",
    ]);
    orphan.close();
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
  ])("$name is not dialled, and the plugin gets an error", async ({ make, why }) => {
    const plugin = new FakePlugin(agent.folder, GPU);
    await make(plugin.path);
    await expect(plugin.register()).rejects.toThrow(why);
    expect(agent.manager.inventory.names()).toEqual([]);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot("another user's socket is not dialled, and the plugin gets an error", async () => {
    const plugin = new FakePlugin(agent.folder, GPU);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(plugin.path, resolve));
    await chown(plugin.path, 12_345, 12_345);
    await expect(plugin.register()).rejects.toThrow(/belongs to uid 12345, expected root or our own user/);
    server.close();
  });
});
