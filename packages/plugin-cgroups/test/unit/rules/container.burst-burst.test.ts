import type { Pod } from "@hooklet/core";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";
import { BURST_ANNOTATION } from "../../../src/rules/container.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

const amounts = (cpu: string) => ({ requests: { cpu, memory: "64Mi" }, limits: { cpu, memory: "64Mi" } });

function web(burst: string | undefined, cpu = "500m"): Pod {
  const pod = aPod({ name: "web", containers: [aContainer({ resources: amounts(cpu) })] });
  const annotations = { ...pod.metadata.annotations, ...(burst !== undefined && { [BURST_ANNOTATION]: burst }) };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

async function start(version: "v1" | "v2", options: object = { burst: true }) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: version });
  const agent = await startTestAgent({ clock, host, plugins: [[plugin, { cgroupRoot: "/", ...options }]] });
  agents.push(agent);
  const file = version === "v1" ? "cpu.cfs_burst_us" : "cpu.max.burst";
  const root = `/sys/fs/cgroup${version === "v1" ? "/cpu" : ""}/kubepods`;
  const read = (place: string) => host.kernel.read(`${root}/${place}/${file}`);
  return { agent, host, read, root };
}

describe.each(["v1", "v2"] as const)("option burst on cgroup %s", (version) => {
  test("is written to the pod's cgroup, follows the annotation, and is not reported as a repair", async () => {
    const { agent, read } = await start(version);
    await agent.apply(web("50%"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const place = `pod${agent.pod("web").metadata.uid}`;
    expect(read(place)).toBe("25000");
    await agent.apply({ ...web("100%"), metadata: { ...web("100%").metadata, uid: agent.pod("web").metadata.uid } });
    await agent.advance(60_000);
    expect(read(place)).toBe("50000");
    expect(agent.events().filter(({ reason }) => reason === "CgroupRepaired")).toEqual([]);
  });

  test("is written to containers once they run", async () => {
    const { agent, host, read, root } = await start(version);
    const { startContainer } = agent.runtime;
    agent.runtime.startContainer = async (id, ...rest) => {
      const place = `${root}/pod${agent.pod("web").metadata.uid}/${id}`;
      host.kernel.addFolder(place);
      return startContainer.call(agent.runtime, id, ...rest);
    };
    await agent.apply(web("20%"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const id = agent.pod("web").status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, "");
    await agent.advance(1000);
    expect(read(`pod${agent.pod("web").metadata.uid}/${id}`)).toBe("10000");
  });

  test("is off without the option", async () => {
    const { agent, read } = await start(version, {});
    await agent.apply(web("50%"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    expect(read(`pod${agent.pod("web").metadata.uid}`)).toBe("0");
  });
});

test("a pod with an annotation that cannot be heeded is refused by name", async () => {
  const { agent } = await start("v2");
  await agent.apply(web("lots"));
  await agent.waitFor(() => agent.pod("web").status?.phase === "Failed");
  expect(agent.pod("web").status?.reason).toBe("InvalidAnnotation");
});

test("the kernel takes no quota below the burst: what shrinks is written in that order", async () => {
  const { agent, host, root } = await start("v1");
  const write = host.kernel.write.bind(host.kernel);
  host.kernel.write = (path, value) => {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const other = (file: string): number => Number(host.kernel.read(`${folder}/${file}`));
    const below = path.endsWith("cpu.cfs_quota_us") && Number(value) > 0 && Number(value) < other("cpu.cfs_burst_us");
    const quota = other("cpu.cfs_quota_us");
    const above = path.endsWith("cpu.cfs_burst_us") && quota > 0 && Number(value) > quota;
    if (below || above) throw Object.assign(new Error("EINVAL"), { code: "EINVAL" });
    write(path, value);
  };
  const apply = async (cpu: string): Promise<void> => {
    const { metadata, spec } = web("100%", cpu);
    const { name, namespace, annotations } = metadata;
    const manifest = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, annotations }, spec };
    await agent.api.apply(JSON.stringify(manifest), "the test");
    await agent.clock.settle();
  };
  await apply("500m");
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const values = () =>
    ["cpu.cfs_quota_us", "cpu.cfs_burst_us"].map((file) =>
      host.kernel.read(`${root}/pod${agent.pod("web").metadata.uid}/${file}`),
    );
  for (const [cpu, amount] of [
    ["2", "200000"],
    ["200m", "20000"],
  ] as const) {
    await apply(cpu);
    await agent.waitFor(() => values()[0] === amount);
    expect(values()).toEqual([amount, amount]);
  }
  expect(agent.events().filter(({ reason }) => reason === "FailedCgroupUpdate")).toEqual([]);
});
