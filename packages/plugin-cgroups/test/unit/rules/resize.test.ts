import type { Pod } from "@hooklet/core";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

function web(cpu: string, memory = "64Mi", more: object = {}): Pod {
  const amounts = { cpu, memory };
  return aPod({
    name: "web",
    containers: [aContainer({ resources: { requests: amounts, limits: amounts }, ...more })],
  });
}

/** As `hooklet apply` does, which asks whether a running pod can go on. */
async function apply(agent: TestAgent, pod: Pod): Promise<void> {
  const { name, namespace } = pod.metadata;
  const manifest = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec: pod.spec };
  await agent.api.apply(JSON.stringify(manifest), "the test");
  await agent.clock.settle();
}

async function start(swap = false) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1" });
  if (swap) host.kernel.set("/sys/fs/cgroup/memory/kubepods/memory.memsw.limit_in_bytes", "9223372036854771712");
  const agent = await startTestAgent({ clock, host, plugins: [[plugin, { cgroupRoot: "/" }]] });
  agents.push(agent);
  const updates: unknown[] = [];
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  runtime.updateContainerResources = (id, resources) => {
    updates.push(resources);
    return update(id, resources);
  };
  await apply(agent, web("500m"));
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const path = `/kubepods/pod${agent.pod("web").metadata.uid}`;
  const quota = () => host.kernel.read(`/sys/fs/cgroup/cpu${path}/cpu.cfs_quota_us`);
  const status = () => agent.pod("web").status?.containerStatuses?.[0];
  const condition = (type: string) => agent.pod("web").status?.conditions?.find((one) => one.type === type);
  return { agent, host, updates, quota, status, condition };
}

test("a running pod gets more and less without a restart", async () => {
  const { agent, updates, quota, status } = await start();
  const id = status()?.containerID;
  await apply(agent, web("1"));
  await agent.waitFor(() => quota() === "100000");
  await apply(agent, web("200m"));
  await agent.waitFor(() => quota() === "20000");
  expect(updates).toMatchObject([{ cpuQuota: 100_000 }, { cpuQuota: 20_000 }]);
  expect(status()).toMatchObject({ containerID: id, restartCount: 0 });
});

test("the pod's cgroup grows before the container and shrinks after it", async () => {
  const { agent, host, quota } = await start();
  const seen: (string | undefined)[] = [];
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  runtime.updateContainerResources = (id, resources) => {
    seen.push(quota());
    return update(id, resources);
  };
  await apply(agent, web("1"));
  await agent.waitFor(() => quota() === "100000");
  await apply(agent, web("200m"));
  await agent.waitFor(() => quota() === "20000");
  expect(seen).toEqual(["100000", "100000"]);
  expect(host.signals).toEqual([]);
});

test("a resize that is taken back before it was done leaves the pod as it was, without a restart", async () => {
  const { agent, status, condition } = await start();
  const { uid } = agent.pod("web").metadata;
  const id = status()?.containerID;
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  runtime.updateContainerResources = () => Promise.reject(new Error("no"));
  await apply(agent, web("1"));
  await apply(agent, web("500m"));
  runtime.updateContainerResources = update;
  await agent.advance(120_000);
  expect(agent.pod("web").metadata.uid).toBe(uid);
  expect(status()).toMatchObject({ containerID: id, restartCount: 0, resources: { limits: { cpu: "500m" } } });
  expect(condition("PodResizeInProgress")).toBeUndefined();
});

test("a resize that comes while another one is done begins where that ends", async () => {
  const { agent, quota, status } = await start();
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  let goOn = (): void => undefined;
  runtime.updateContainerResources = async (id, resources) => {
    await new Promise<void>((resolve) => (goOn = resolve));
    return update(id, resources);
  };
  await apply(agent, web("1"));
  runtime.updateContainerResources = update;
  await apply(agent, web("200m"));
  goOn();
  await agent.waitFor(() => quota() === "20000");
  expect(status()).toMatchObject({ restartCount: 0, resources: { limits: { cpu: "200m" } } });
});

test("what changes more than amounts is no resize: the pod is replaced", async () => {
  const { agent } = await start();
  const { uid } = agent.pod("web").metadata;
  await apply(agent, web("1", "64Mi", { env: [{ name: "A", value: "1" }] }));
  await agent.waitFor(() => agent.pod("web").metadata.uid !== uid);
});

test("while the kernel refuses new amounts the status shows those that it has, and why", async () => {
  const { agent, status, condition } = await start();
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  runtime.updateContainerResources = async () => {
    throw new Error("cannot set memory.limit_in_bytes: EBUSY");
  };
  await apply(agent, web("1"));
  await agent.waitFor(() => condition("PodResizeInProgress")?.reason === "Error");
  expect(condition("PodResizeInProgress")?.message).toContain("EBUSY");
  const had = { cpu: "500m", memory: "64Mi" };
  expect(status()).toMatchObject({ allocatedResources: had, resources: { requests: had, limits: had } });
  runtime.updateContainerResources = update;
  await agent.waitFor(() => condition("PodResizeInProgress") === undefined);
  expect(status()).toMatchObject({ allocatedResources: { cpu: "1" }, resources: { limits: { cpu: "1" } } });
});

test("on cgroup v1 the limit of memory and swap together goes with that of memory", async () => {
  const { agent, updates } = await start(true);
  await apply(agent, web("500m", "128Mi"));
  await agent.waitFor(() => updates.length > 0);
  expect(updates).toMatchObject([{ memoryLimitInBytes: 2 ** 27, memorySwapLimitInBytes: 2 ** 27 }]);
});

test("what the node could never give is Infeasible, and the status shows what is applied", async () => {
  const { agent, quota, status, condition } = await start();
  await apply(agent, web("64"));
  await agent.waitFor(() => condition("PodResizePending")?.reason === "Infeasible");
  expect(quota()).toBe("50000");
  expect(status()?.resources).toMatchObject({ requests: { cpu: "500m" } });
  await apply(agent, web("1"));
  await agent.waitFor(() => condition("PodResizePending") === undefined && quota() === "100000");
});

describe("a resize that waits", () => {
  const amounts = (cpu: string) => ({ requests: { cpu, memory: "64Mi" }, limits: { cpu, memory: "64Mi" } });
  const other = aPod({ name: "other", containers: [aContainer({ resources: amounts("3") })] });

  async function deferred() {
    const world = await start();
    const { agent, condition } = world;
    await apply(agent, other);
    await agent.waitFor(() => agent.pod("other").status?.phase === "Running");
    await apply(agent, web("2"));
    await agent.waitFor(() => condition("PodResizePending")?.reason === "Deferred");
    return world;
  }

  test("stays pending after a restart of the agent: the pod keeps its resources, its status has that, and it grows once the node has them", async () => {
    const { agent, host, quota, status, condition } = await deferred();
    const said = condition("PodResizePending")?.message;
    const id = status()?.containerID;
    await agent.restart();
    expect(condition("PodResizePending")).toMatchObject({ status: "True", reason: "Deferred", message: said });
    expect(status()).toMatchObject({ allocatedResources: { cpu: "500m" }, resources: { requests: { cpu: "500m" } } });
    await agent.advance(120_000);
    expect(quota()).toBe("50000");
    await agent.api.deletePod({ name: "other", namespace: "default" }, {});
    await agent.waitFor(() => quota() === "200000");
    expect(condition("PodResizePending")).toBeUndefined();
    expect(status()).toMatchObject({ containerID: id, restartCount: 0, resources: { requests: { cpu: "2" } } });
    expect(host.signals).toEqual([]);
  });

  test("a container that restarts meanwhile gets the applied resources, not the pending ones", async () => {
    const { agent, status } = await deferred();
    const made: unknown[] = [];
    const create = agent.runtime.createContainer.bind(agent.runtime);
    agent.runtime.createContainer = (sandbox, config, ...rest) => {
      made.push(config.linux.resources?.cpuQuota);
      return create(sandbox, config, ...rest);
    };
    agent.runtime.exit("web", "main", 1);
    await agent.waitFor(() => status()?.restartCount === 1);
    expect(made).toEqual([50_000]);
  });
});
