import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

async function start(options: object = {}, node: object = {}) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1" });
  const agent = await startTestAgent({
    clock,
    host,
    node: { systemReserved: { cpu: "500m" }, ...node },
    plugins: [[plugin, { cgroupRoot: "/", cpuManagerPolicy: "static", ...options }]],
  });
  agents.push(agent);
  const updates: { readonly id: string; readonly cpus: string | undefined }[] = [];
  const { runtime } = agent;
  const update = runtime.updateContainerResources.bind(runtime);
  runtime.updateContainerResources = (id, resources) => {
    updates.push({ id, cpus: resources.cpusetCpus });
    return update(id, resources);
  };
  const made = new Map<string, string | undefined>();
  const create = runtime.createContainer.bind(runtime);
  runtime.createContainer = (sandbox, config, ...rest) => {
    made.set(config.labels["io.kubernetes.pod.name"] ?? "", config.linux.resources?.cpusetCpus);
    return create(sandbox, config, ...rest);
  };
  const file = join(agent.rootDir, "cpu_manager_state");
  const saved = () => JSON.parse(readFileSync(file, "utf8")) as { defaultCpuSet: string; entries?: object };
  return { agent, host, updates, made, file, saved };
}

const resources = (cpu: string) => ({ requests: { cpu, memory: "64Mi" }, limits: { cpu, memory: "64Mi" } });
const pinned = (name: string, cpu: string) => aPod({ name, containers: [aContainer({ resources: resources(cpu) })] });
const running = (agent: TestAgent, ...names: readonly string[]) =>
  agent.waitFor(() => names.every((name) => agent.pod(name).status?.phase === "Running"));
const rows = async (agent: TestAgent) =>
  ((await agent.api.view("cpus"))?.rows ?? []).map(({ cpu, pool, pod }) => [cpu, pool, pod]);

describe("cpuManagerPolicy static", () => {
  test("a Guaranteed container with whole CPUs is made on its own, all others on the rest, those that ran before too", async () => {
    const { agent, made, updates, saved } = await start();
    await agent.apply(pinned("shares", "500m"));
    await running(agent, "shares");
    expect(made.get("shares")).toBe("0-3");
    await agent.apply(pinned("alone", "2"));
    await running(agent, "alone");
    expect(made.get("alone")).toBe("1-2");
    expect(updates.map(({ cpus }) => cpus)).toEqual(["0,3"]);
    expect(saved()).toMatchObject({
      defaultCpuSet: "0,3",
      entries: { [agent.pod("alone").metadata.uid]: { main: "1-2" } },
    });
    expect(await rows(agent)).toEqual([
      [0, "reserved", ""],
      [1, "exclusive", "default/alone"],
      [2, "exclusive", "default/alone"],
      [3, "shared", ""],
    ]);
  });

  test("a pod with exclusive CPUs has no quota, and its container neither", async () => {
    const { agent, host } = await start();
    await agent.apply(pinned("alone", "2"));
    await running(agent, "alone");
    const path = `/sys/fs/cgroup/cpu/kubepods/pod${agent.pod("alone").metadata.uid}`;
    expect(host.kernel.read(`${path}/cpu.cfs_quota_us`)).toBe("-1");
    const said = (await agent.api.explainNow("pod", "alone")).flatMap(({ considered }) => considered);
    expect(said).toContainEqual({
      candidate: "cpu.cfs_quota_us",
      verdict: "-1",
      why: "none: the container has CPUs of its own",
    });
  });

  test("CPUs of a pod that goes are everybody's again", async () => {
    const { agent, updates, saved } = await start();
    await agent.apply(pinned("shares", "500m"));
    await agent.apply(pinned("alone", "2"));
    await running(agent, "shares", "alone");
    await agent.delete("alone");
    await agent.waitFor(() => saved().defaultCpuSet === "0-3");
    await agent.advance(10_000);
    expect(updates.at(-1)?.cpus).toBe("0-3");
  });

  test("a pod that asks for more than is left is refused in the kubelet's words, and has taken nothing", async () => {
    const { agent, saved } = await start({}, { systemReserved: { cpu: "100m" } });
    await agent.apply(pinned("first", "2"));
    await running(agent, "first");
    const wide = aPod({
      name: "wide",
      containers: ["a", "b"].map((name) => aContainer({ name, resources: resources("1") })),
    });
    await agent.apply(wide);
    await agent.waitFor(() => agent.pod("wide").status?.phase === "Failed");
    expect(agent.pod("wide").status?.reason).toBe("UnexpectedAdmissionError");
    expect(saved().defaultCpuSet).toBe("0,3");
  });

  test("without a reservation of cpu the agent does not start, with the next step", async () => {
    await expect(start({}, { systemReserved: {} })).rejects.toThrow(
      "the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero",
    );
  });

  test("node.reservedSystemCPUs names the reserved CPUs, and their number is the reservation", async () => {
    const { agent } = await start({}, { systemReserved: {}, reservedSystemCPUs: "2-3" });
    expect((await rows(agent)).filter(([, pool]) => pool === "reserved").map(([cpu]) => cpu)).toEqual([2, 3]);
    expect((await agent.api.node()).allocatable.cpu).toBe(2000);
  });
});

describe("after a restart of the agent", () => {
  test("containers keep the CPUs of the state file", async () => {
    const { agent, updates, saved } = await start();
    await agent.apply(pinned("alone", "2"));
    await running(agent, "alone");
    const before = saved();
    await agent.restart();
    await agent.advance(60_000);
    expect(saved()).toEqual(before);
    expect(updates.filter(({ cpus }) => cpus !== "1-2")).toEqual([]);
  });

  test.each([
    ["is damaged", '{"policyName":"static","defaultCpuSet":"0-3","checksum":1}'],
    [
      "gives two owners one CPU",
      '{"policyName":"static","defaultCpuSet":"0-3","entries":{"x":{"main":"1"}},"checksum":0}',
    ],
    ["is of another machine", '{"policyName":"static","defaultCpuSet":"0-7","checksum":0}'],
  ])("a state file that %s is moved aside, and running containers keep their CPUs", async (_, text) => {
    const { agent, file, saved } = await start();
    await agent.apply(pinned("alone", "2"));
    await running(agent, "alone");
    const before = saved();
    writeFileSync(file, text);
    await agent.restart();
    await agent.advance(60_000);
    expect(saved()).toEqual(before);
    const said = agent.events().filter(({ reason }) => reason === "CPUManagerStateCorrupt");
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining("cpu_manager_state.corrupt-")]);
  });

  test.each([
    { name: "is fine where it is empty", entries: "", said: 0 },
    { name: "is moved aside where it assigns CPUs twice", entries: '"entries":{"x":{"main":"1"}},', said: 1 },
  ])("a state file of policy none $name", async ({ entries, said }) => {
    const { agent, file } = await start();
    writeFileSync(file, `{"policyName":"none","defaultCpuSet":"0,2-3",${entries}"checksum":0}`);
    await agent.restart();
    expect(agent.events().filter(({ reason }) => reason === "CPUManagerStateCorrupt")).toHaveLength(said);
  });

  test("entries of pods that are gone are removed once the sources have spoken", async () => {
    const { agent, file, saved } = await start();
    writeFileSync(file, '{"policyName":"static","defaultCpuSet":"0,2-3","entries":{"gone":{"main":"1"}},"checksum":0}');
    await agent.restart();
    await agent.advance(60_000);
    expect(saved()).toMatchObject({ defaultCpuSet: "0-3" });
    expect(saved().entries).toBeUndefined();
  });
});
