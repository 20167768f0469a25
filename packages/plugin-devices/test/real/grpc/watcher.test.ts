/** Plugins that are found by their socket in plugins_registry. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GrpcServer, service } from "../../../src/grpc/grpc.js";
import { type RunningServer, serveAt } from "../../../src/grpc/sockets.js";
import { GPU } from "../../devices.js";
import { FakePlugin } from "../fake-plugin.js";
import { startServers, type TestServers, until } from "../servers.js";

let agent: TestServers;

beforeEach(async () => {
  agent = await startServers();
});
afterEach(() => agent.stop());

const allocatable = (): number => agent.manager.capacity().allocatable[GPU] ?? 0;

describe("plugins found by the watcher", () => {
  const registry = (): string => join(agent.folder, "..", "reg");

  async function announce(
    name: string,
    info: object,
  ): Promise<{ readonly server: RunningServer; readonly reported: object[] }> {
    await mkdir(registry(), { recursive: true });
    const reported: object[] = [];
    const grpc = new GrpcServer();
    grpc.add(service("pluginregistration.Registration"), {
      GetInfo: async () => info,
      async NotifyRegistrationStatus(request) {
        reported.push(request);
        return {};
      },
    });
    const server = await serveAt(join(registry(), name), async () => grpc);
    return { server, reported };
  }

  test("one is asked for its info, connected, notified, and dropped when its socket is gone", async () => {
    const plugin = new FakePlugin(agent.folder, GPU);
    await plugin.serve();
    const info = { type: "DevicePlugin", name: GPU, endpoint: plugin.path, supportedVersions: ["v1beta1"] };
    const { server, reported } = await announce("gpu.sock", info);
    await agent.servers.look();
    await until(() => allocatable() === 1);
    expect(reported).toEqual([{ pluginRegistered: true, error: "" }]);
    await server.stop();
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
  ])("$name gets the reason of its refusal", async ({ info, error }) => {
    const { server, reported } = await announce("x.sock", info);
    await agent.servers.look();
    expect(reported).toEqual([{ pluginRegistered: false, error: expect.stringMatching(error) }]);
    await server.stop();
  });
});
