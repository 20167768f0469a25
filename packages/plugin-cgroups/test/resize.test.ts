import type { Pod } from "@hooklet/core";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../src/index.js";
import { resizeOf } from "../src/resize/change.js";

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

async function start() {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1" });
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

describe("what is a resize", () => {
  test.each([
    { name: "more cpu", before: web("500m"), after: web("1"), resized: ["main"] },
    { name: "less memory", before: web("500m"), after: web("500m", "32Mi"), resized: ["main"] },
    { name: "nothing new", before: web("500m"), after: web("500m"), resized: undefined },
    { name: "another image", before: web("500m"), after: web("1", "64Mi", { image: "other:1" }), resized: undefined },
  ])("$name", ({ before, after, resized }) => {
    expect(resizeOf(before, after)?.map((one) => one.after.name)).toEqual(resized);
  });

  test("not what would change the QoS class", () => {
    const burstable = aPod({ name: "web", containers: [aContainer({ resources: { requests: { cpu: "1" } } })] });
    expect(resizeOf(web("1"), burstable)).toBeUndefined();
  });
});

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

test("what the node could never give is Infeasible, and the status shows what is applied", async () => {
  const { agent, quota, status, condition } = await start();
  await apply(agent, web("64"));
  await agent.waitFor(() => condition("PodResizePending")?.reason === "Infeasible");
  expect(quota()).toBe("50000");
  expect(status()?.resources).toMatchObject({ requests: { cpu: "500m" } });
  await apply(agent, web("1"));
  await agent.waitFor(() => condition("PodResizePending") === undefined && quota() === "100000");
});

test("what does not fit now is Deferred, and applied once there is room", async () => {
  const { agent, quota, condition } = await start();
  const amounts = { cpu: "3", memory: "64Mi" };
  const other = aPod({
    name: "other",
    containers: [aContainer({ resources: { requests: amounts, limits: amounts } })],
  });
  await apply(agent, other);
  await agent.waitFor(() => agent.pod("other").status?.phase === "Running");
  await apply(agent, web("2"));
  await agent.waitFor(() => condition("PodResizePending")?.reason === "Deferred");
  await agent.api.deletePod({ name: "other", namespace: "default" }, {});
  await agent.waitFor(() => quota() === "200000");
  expect(condition("PodResizePending")).toBeUndefined();
});
