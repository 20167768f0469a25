import { definePlugin, type NodePort } from "@hooklet/core";
import {
  aContainer,
  aPod,
  SimulatedHost,
  startTestAgent,
  type TestAgent,
  type TestAgentOptions,
  VirtualClock,
} from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../src/index.js";
import { keeper } from "./world.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

async function start(version: "v1" | "v2", plugins: NonNullable<TestAgentOptions["plugins"]>) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: version });
  const agent = await startTestAgent({ clock, host, plugins });
  agents.push(agent);
  if (version === "v2") host.kernel.set("/sys/fs/cgroup/memory.current", `${1024 ** 3}\n`);
  return { agent, host, clock };
}

const amounts = { cpu: "500m", memory: "64Mi" };
const limited = (name: string) =>
  aPod({ name, containers: [aContainer({ resources: { requests: amounts, limits: amounts } })] });

const uidOf = (agent: TestAgent, name: string): string => agent.pod(name).metadata.uid;

test("statistics are there in the Summary's shape", async () => {
  const { agent } = await start("v1", [keeper, plugin]);
  await agent.apply(limited("web"));
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const summary = await agent.api.statistics({ onlyCpuAndMemory: true });
  expect(summary?.pods.map(({ podRef }) => podRef.name)).toEqual(["web"]);
  expect(summary?.node.systemContainers?.map(({ name }) => name)).toEqual(["pods"]);
});

describe("statistics of pods", () => {
  /** Reads of the pod's memory files, and the statistics as another plugin has them, unread. */
  async function unseen() {
    let node: NodePort | undefined;
    const other = definePlugin({
      meta: { name: "other", api: 1 },
      start(ctx) {
        node = ctx.node;
      },
    });
    const clock = new VirtualClock();
    const host = new SimulatedHost({ clock, cgroups: "v2" });
    const agent = await startTestAgent({ clock, host, plugins: [keeper, plugin, other] });
    agents.push(agent);
    await agent.apply(limited("web"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const read = host.kernel.read.bind(host.kernel);
    let reads = 0;
    host.kernel.read = (path) => {
      if (path.includes(`pod${uidOf(agent, "web")}/memory.`)) reads += 1;
      return read(path);
    };
    const found = await node?.statistics(0);
    if (found === undefined) throw new Error("there are no statistics");
    return { agent, found, reads: () => reads };
  }

  test("are read on access, once", async () => {
    const { found, reads } = await unseen();
    expect(reads()).toBe(0);
    const [pod] = found.pods;
    expect(pod?.podRef.name).toBe("web");
    const once = reads();
    expect(once).toBeGreaterThan(0);
    expect(found.pods[0]).toBe(pod);
    expect(reads()).toBe(once);
  });

  test("that were not accessed before the plugin stopped are lost, and the access throws", async () => {
    const { agent, found } = await unseen();
    await agent.stop();
    expect(() => found.pods).toThrow("there are no statistics any more: @hooklet/plugin-stats has stopped");
  });

  test("that were accessed stay as they were", async () => {
    const { agent, found } = await unseen();
    const seen = found.pods;
    await agent.stop();
    expect(found.pods).toBe(seen);
  });
});

test("what memory the node has left is the machine's, also where the node may use only a share of it", async () => {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1", memoryBytes: 64 * 1024 ** 3 });
  host.kernel.set("/sys/fs/cgroup/memory/memory.usage_in_bytes", String(16 * 1024 ** 3));
  const node = { capacity: { memory: "1Gi" } };
  const agent = await startTestAgent({ clock, host, node, plugins: [plugin] });
  agents.push(agent);
  const summary = await agent.api.statistics({ onlyCpuAndMemory: true });
  expect(summary?.node.memory?.availableBytes).toBe(48 * 1024 ** 3);
});

describe("where no plugin keeps cgroups", () => {
  /** A pod of two containers of which the runtime counts CPU time, memory and layers. */
  async function running() {
    const { agent, host, clock } = await start("v2", [plugin]);
    await agent.apply(aPod({ name: "web", containers: [aContainer({ name: "main" }), aContainer({ name: "side" })] }));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const counted = (cpuUsageNanoSeconds: number, memoryWorkingSetBytes: number) => ({
      cpuUsageNanoSeconds,
      memoryWorkingSetBytes,
      writableLayerUsedBytes: 10,
    });
    agent.runtime.setStats("web", "main", counted(1_000, 100));
    agent.runtime.setStats("web", "side", counted(500, 20));
    return { agent, host, clock };
  }

  test("usage of pods is what the runtime counts, usage of the node the root cgroup's", async () => {
    const { agent, clock } = await running();
    await clock.advance(11_000);
    await agent.api.statistics();
    agent.runtime.setStats("web", "main", { cpuUsageNanoSeconds: 11_001_000, memoryWorkingSetBytes: 100 });
    await clock.advance(11_000);
    const summary = await agent.api.statistics();
    const [web] = summary?.pods ?? [];
    expect(web).toMatchObject({
      podRef: { name: "web" },
      cpu: { usageCoreNanoSeconds: 11_001_500, usageNanoCores: 1_000_000 },
      memory: { workingSetBytes: 120 },
      containers: [
        { name: "main", memory: { workingSetBytes: 100 } },
        { name: "side", memory: { workingSetBytes: 20 }, rootfs: { usedBytes: 10 } },
      ],
    });
    expect(web?.memory).not.toHaveProperty("usageBytes");
    expect(web).not.toHaveProperty("swap");
    expect(summary?.node.memory?.workingSetBytes).toBeGreaterThan(0);
    const page = (await agent.api.metrics("/metrics/resource"))?.body ?? "";
    expect(page).toContain("resource_scrape_error 0");
    expect(page).toMatch(/pod_memory_working_set_bytes\{namespace="default",pod="web"\} 120 /);
  });

  test("a runtime that does not answer leaves the node's own numbers", async () => {
    let node: NodePort | undefined;
    const other = definePlugin({
      meta: { name: "other", api: 1 },
      start(ctx) {
        node = ctx.node;
      },
    });
    const { agent } = await start("v2", [plugin, other]);
    await agent.apply(aPod({ name: "web" }));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    agent.runtime.failNext("listContainerStats", "the runtime is away", 1000);
    const found = await node?.statistics(0);
    expect(found?.node.memory?.workingSetBytes).toBeGreaterThan(0);
    expect(() => found?.pods).toThrow("the runtime is away");
    expect((await agent.api.metrics("/metrics/resource"))?.body).toContain("resource_scrape_error 1");
  });

  test("processes are counted where the runtime gives containers their own cgroups", async () => {
    const { agent, host } = await running();
    const [main] = (await agent.runtime.listContainers()).filter(({ metadata }) => metadata.name === "main");
    for (const pid of [41, 42]) host.kernel.set(`/proc/${pid}/cgroup`, `0::/runtime/cri-x-${main?.id}.scope\n`);
    expect((await agent.api.statistics())?.pods[0]?.process_stats).toEqual({ process_count: 2 });
  });

  test.each([
    { name: "where others keep it, with cgroupfs", path: "/kubepods" },
    { name: "where others keep it, with systemd", path: "/kubepods.slice" },
  ])("the cgroup of all pods is found $name", async ({ path }) => {
    const { agent, host } = await start("v2", [plugin]);
    host.kernel.addFolder(`/sys/fs/cgroup${path}`);
    host.kernel.set(`/sys/fs/cgroup${path}/memory.current`, "700\n");
    const summary = await agent.api.statistics();
    expect(summary?.node.systemContainers).toMatchObject([{ name: "pods", memory: { usageBytes: 700 } }]);
  });
});
