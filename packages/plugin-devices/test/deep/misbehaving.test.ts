/** Plugins that lie or break: the agent says so, stays well, and no other plugin suffers. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GPU, podOf } from "../devices.js";
import { FakePlugin } from "../real/fake-plugin.js";
import { startServers, type TestServers, until } from "../real/servers.js";

let agent: TestServers;
let good: FakePlugin;
const plugins: FakePlugin[] = [];
const GOOD = "good.example/device";

beforeEach(async () => {
  agent = await startServers();
  good = new FakePlugin(agent.folder, GOOD);
  await good.start();
});

afterEach(async () => {
  // The good one still works.
  const pod = podOf("last", [{ resources: { limits: { [GOOD]: "1" } } }]);
  agent.active.add("last");
  for (const container of pod.spec.containers) await agent.manager.allocate(pod, container);
  expect(agent.manager.runOptions("last", "c0")?.envs).toEqual([{ name: "DEVICES", value: "dev-0" }]);
  for (const plugin of [good, ...plugins.splice(0)]) plugin.kill();
  await agent.stop();
});

function fake(behaviour: ConstructorParameters<typeof FakePlugin>[2]): FakePlugin {
  const plugin = new FakePlugin(agent.folder, GPU, behaviour);
  plugins.push(plugin);
  return plugin;
}

const count = (): number => agent.manager.inventory.get(GPU)?.devices.length ?? 0;

async function allocate(gpus = 1): Promise<void> {
  const pod = podOf("p", [{ gpus }]);
  agent.active.add("p");
  try {
    for (const container of pod.spec.containers) await agent.manager.allocate(pod, container);
  } finally {
    if (agent.manager.records.inUse(GPU).size === 0) agent.active.delete("p");
  }
}

describe("at registration", () => {
  test.each([
    {
      name: "another version",
      request: { version: "v1alpha1" },
      why: 'requested API version "v1alpha1" is not supported by kubelet. Supported version is ["v1beta1"]',
    },
    {
      name: "a native resource",
      request: { resourceName: "cpu" },
      why: 'rpc error: code = Unknown desc = the ResourceName "cpu" is invalid',
    },
    { name: "no resource", request: { resourceName: "" }, why: 'the ResourceName "" is invalid' },
    {
      name: "a name of 10 KiB",
      request: { resourceName: `vendor.example/${"x".repeat(10_240)}` },
      why: "is invalid",
    },
  ])("$name is refused with the kubelet's words", async ({ request, why }) => {
    const plugin = fake({});
    await plugin.serve();
    await expect(plugin.register(request)).rejects.toThrow(why);
    expect(plugin.calls).toEqual([]);
  });
});

describe("in its reports", () => {
  test("100 000 devices are taken, and given out", async () => {
    await fake({ devices: Array.from({ length: 100_000 }, (_, index) => ({ ID: `device-${index}` })) }).start();
    await until(() => count() === 100_000);
    await allocate();
    expect(agent.manager.records.inUse(GPU).size).toBe(1);
  });

  test("more than 100 000 are refused, and the plugin counts as gone", async () => {
    await fake({ devices: Array.from({ length: 100_001 }, (_, index) => ({ ID: `d${index}` })) }).start();
    await until(() => agent.recorded.length > 0);
    expect(agent.recorded[0]).toContain("it reported 100001 devices: expected at most 100000 of one resource");
    expect(count()).toBe(0);
  });

  test("ids of 10 KiB are ids", async () => {
    const id = "x".repeat(10_240);
    await fake({ devices: [{ ID: id }, { ID: `${id}1` }] }).start();
    await until(() => count() === 2);
    await allocate(2);
    expect(agent.manager.records.inUse(GPU).size).toBe(2);
  });

  test("a message over the size limit ends the stream, not the agent", async () => {
    const id = "x".repeat(100_000);
    await fake({ devices: Array.from({ length: 200 }, (_, index) => ({ ID: `${id}${index}` })) }).start();
    await until(() => agent.recorded.length > 0);
    expect(agent.recorded[0]).toMatch(/code = ResourceExhausted/);
  });

  test("a stream that flaps as fast as it can", async () => {
    const plugin = fake({});
    await plugin.serve();
    for (let i = 0; i < 100; i++) {
      await plugin.register();
      plugin.endStreams();
    }
    await plugin.register();
    await until(() => agent.manager.capacity().allocatable[GPU] === 1);
    await allocate();
  });
});

describe("when it is asked for devices", () => {
  test.each([
    {
      name: "an empty answer",
      answer: {},
      why: "no containers return in allocation response &AllocateResponse{",
    },
    {
      name: "a relative mount",
      answer: { containerResponses: [{ mounts: [{ containerPath: "data", hostPath: "/tmp" }] }] },
      why: 'mount containerPath "data", expected an absolute path without ..',
    },
  ])("$name is an error, and nothing is taken", async ({ answer, why }) => {
    await fake({ allocate: async () => answer }).start();
    await until(() => count() === 1);
    await expect(allocate()).rejects.toThrow(why);
    expect(agent.manager.records.inUse(GPU).size).toBe(0);
  });

  test("one that dies in the middle of Allocate", async () => {
    const plugin = fake({
      async allocate() {
        plugin.kill();
        return new Promise<object>(() => {});
      },
    });
    await plugin.start();
    await until(() => count() === 1);
    await expect(allocate()).rejects.toThrow(/rpc error: code = (Unavailable|Cancelled|Internal)/);
    expect(agent.manager.records.inUse(GPU).size).toBe(0);
  });

  test("one that never answers is given up after 30 seconds, and nothing is taken", async () => {
    await fake({ allocate: () => new Promise<object>(() => {}) }).start();
    await until(() => count() === 1);
    // 29.5 of them have passed already.
    agent.clock.behind = 29_500;
    await expect(allocate()).rejects.toThrow("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
    agent.clock.behind = 0;
    expect(agent.manager.records.inUse(GPU).size).toBe(0);
  });
});
