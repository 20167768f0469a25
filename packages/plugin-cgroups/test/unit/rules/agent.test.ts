import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const MINUTE = 60_000;
const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

async function start(version: "v1" | "v2" = "v1", options: object = {}, prepare?: (host: SimulatedHost) => void) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: version });
  prepare?.(host);
  const agent = await startTestAgent({ clock, host, plugins: [[plugin, { cgroupRoot: "/", ...options }]] });
  agents.push(agent);
  const read = (path: string): string | undefined => host.kernel.read(`/sys/fs/cgroup/${path}`);
  return { agent, host, clock, read };
}

const amounts = { cpu: "500m", memory: "64Mi" };
const limited = (name: string) =>
  aPod({ name, containers: [aContainer({ resources: { requests: amounts, limits: amounts } })] });

const uidOf = (agent: TestAgent, name: string): string => agent.pod(name).metadata.uid;

describe("a pod", () => {
  test("has its cgroup before its sandbox, and its containers get their parent and limits", async () => {
    const { agent, read } = await start("v1", { podPidsLimit: 50 });
    const parents: unknown[] = [];
    const { runSandbox } = agent.runtime;
    agent.runtime.runSandbox = (config, ...rest) => {
      parents.push([config.linux.cgroupParent, read(`memory${config.linux.cgroupParent}/memory.limit_in_bytes`)]);
      return runSandbox.call(agent.runtime, config, ...rest);
    };
    await agent.apply(limited("web"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const path = `/kubepods/pod${uidOf(agent, "web")}`;
    expect(parents).toEqual([[path, String(64 * 1024 ** 2)]]);
    expect(read(`pids${path}/pids.max`)).toBe("50");
  });
});

describe("every minute", () => {
  test("a change from outside is repaired, with an event that names file and values", async () => {
    const { agent, host, read } = await start("v2");
    await agent.apply(limited("web"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const path = `/kubepods/pod${uidOf(agent, "web")}`;
    host.kernel.set(`/sys/fs/cgroup${path}/cpu.max`, "max 100000");
    await agent.advance(MINUTE);
    expect(read(`${path.slice(1)}/cpu.max`)).toBe("50000 100000");
    expect(agent.events().filter(({ reason }) => reason === "CgroupRepaired")).toMatchObject([
      { type: "Warning", message: `cpu.max of cgroup ${path} was max 100000, set to 50000 100000 again` },
    ]);
  });

  test("a container's cgroup that was deleted is created again, with its limits and its process, and events", async () => {
    const { agent, host, read } = await start("v1");
    const { kernel } = host;
    await agent.apply(limited("web"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const [one] = (await agent.runtime.listContainers()).filter(({ metadata }) => metadata.name === "main");
    const path = `/kubepods/pod${uidOf(agent, "web")}/${one?.id}`;
    const folders = ["cpu", "memory", "pids"].map((controller) => `/sys/fs/cgroup/${controller}${path}`);
    for (const folder of folders) kernel.addFolder(folder);
    host.addProcess(42, ...folders);
    kernel.set("/proc/42/stat", `42 (app) S 1${" 0".repeat(17)} 7 0`);
    kernel.set("/proc/42/comm", "app\n");
    kernel.set("/proc/42/cgroup", `1:cpu,cpuacct:${path}\n2:memory:${path}\n3:pids:${path}\n`);
    await agent.advance(MINUTE);
    kernel.write("/sys/fs/cgroup/memory/cgroup.procs", "42");
    kernel.set("/proc/42/cgroup", `1:cpu,cpuacct:${path}\n2:memory:/\n3:pids:${path}\n`);
    expect(kernel.removeDirectory(`/sys/fs/cgroup/memory${path}`)).toBe(true);
    await agent.advance(MINUTE);
    expect(read(`memory${path}/memory.limit_in_bytes`)).toBe(String(64 * 1024 ** 2));
    expect(read(`memory${path}/cgroup.procs`)?.trim()).toBe("42");
    expect(agent.events().filter(({ reason }) => reason === "CgroupRepaired")).toMatchObject([
      { message: `cgroup ${path} of container main was gone and was made again` },
      { message: `process 42 (app) of container main was moved to / (memory), brought back to ${path}` },
    ]);
  });
});

test("node allocatable is enforced once the kernel has taken it, and is tried until then", async () => {
  const file = "/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes";
  const { agent, host, read } = await start("v1", {}, (machine) => machine.kernel.fail(file, "EBUSY"));
  const said = () => agent.events().flatMap(({ reason = "" }) => (/NodeAllocatable/.test(reason) ? [reason] : []));
  expect(said()).toEqual(["FailedNodeAllocatableEnforcement"]);
  host.kernel.fail(file, undefined);
  await agent.advance(MINUTE);
  expect(said()).toEqual(["FailedNodeAllocatableEnforcement", "NodeAllocatableEnforced"]);
  expect(read("memory/kubepods/memory.limit_in_bytes")).toBe(String(8 * 1024 ** 3));
});

describe("where cgroups cannot be written", () => {
  test("the agent continues, reports it once, and pods run", async () => {
    const { agent } = await start("v1", {}, (host) => host.kernel.fail("/sys/fs/cgroup/memory/kubepods", "EROFS"));
    await agent.apply(limited("web"));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    await agent.advance(5 * MINUTE);
    const events = agent.events().filter(({ reason }) => reason === "CgroupsUnavailable");
    expect(events).toHaveLength(1);
    expect(events[0]?.message).toMatch(
      /EROFS.*\. Run hooklet as root, or on cgroup v2 in a systemd unit with Delegate=yes$/,
    );
    // Nothing failed, and no pod is to blame: it is no warning.
    expect(events[0]?.type).toBe("Normal");
  });

  test("a tree in which another agent's pods run is left to that one", async () => {
    const { agent, host, read } = await start("v1", {}, (host) => {
      for (const name of ["cpu", "pids"]) host.kernel.addFolder(`/sys/fs/cgroup/${name}/kubepods/podother`);
      host.addProcess(77, "/sys/fs/cgroup/pids/kubepods/podother");
    });
    expect(agent.events().find(({ reason }) => reason === "CgroupsUnavailable")?.message).toContain(
      "/kubepods/podother holds processes of another agent",
    );
    await agent.advance(5 * MINUTE);
    expect(host.signals).toEqual([]);
    expect(read("cpu/kubepods/burstable/cpu.shares")).toBeUndefined();
  });
});

test("a restarted agent keeps the cgroups of its pods and removes those of pods that are gone", async () => {
  const { agent, host, read } = await start();
  await agent.apply(limited("stays"));
  await agent.waitFor(() => agent.pod("stays").status?.phase === "Running");
  const path = `cpu/kubepods/pod${uidOf(agent, "stays")}/cpu.shares`;
  await agent.advance(5_000);
  host.kernel.addFolder("/sys/fs/cgroup/cpu/kubepods/pod0123");
  await agent.restart();
  await agent.advance(2 * MINUTE);
  expect(read(path)).toBe("512");
  expect(host.kernel.changedAt("/sys/fs/cgroup/cpu/kubepods/pod0123")).toBeUndefined();
});

test("an agent with another root dir has another tree, which is removed once it is empty", async () => {
  const { agent, host } = await start("v1", { cgroupRoot: "" });
  const own = () => host.kernel.directories("/sys/fs/cgroup/cpu").filter((name) => name.startsWith("hooklet-"));
  await agent.apply(limited("web"));
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  expect(own()).toHaveLength(1);
  expect(host.kernel.directories("/sys/fs/cgroup/cpu")).not.toContain("kubepods");
  await agent.delete("web");
  await agent.waitFor(() => host.kernel.directories(`/sys/fs/cgroup/cpu/${own()[0]}/kubepods`).length === 2);
  await agent.stop();
  expect(own()).toEqual([]);
});

describe("of the cgroups of the node", () => {
  const enforced = (agent: TestAgent): readonly string[] =>
    agent
      .events()
      .filter(({ reason }) => reason === "NodeAllocatableEnforced")
      .map(({ type, message }) => `${type}: ${message}`);

  test.each([
    ["v1", 1],
    ["v2", 2],
  ] as const)(
    "the version (%s), and how long work on them takes, are metrics of the kubelet",
    async (version, number) => {
      const { agent } = await start(version);
      await agent.apply(limited("web"));
      await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
      const page = (await agent.api.metrics("/metrics"))?.body ?? "";
      expect(page).toContain(`\nkubelet_cgroup_version ${number}\n`);
      expect(page).toMatch(/kubelet_cgroup_manager_duration_seconds_count\{operation_type="create"\} 1\n/);
      const { parts } = await agent.api.health();
      expect(parts.find(({ name }) => name === "@hooklet/plugin-cgroups")).toEqual({
        name: "@hooklet/plugin-cgroups",
        ok: true,
        message: `${version}, 1 pods`,
      });
    },
  );

  test("one event tells that pods are limited, once", async () => {
    const { agent } = await start();
    await agent.advance(3 * MINUTE);
    expect(enforced(agent)).toEqual(["Normal: Updated Node Allocatable limit across pods"]);
  });

  test("another one tells that what is kept back is limited too", async () => {
    const options = { enforceNodeAllocatable: ["pods", "system-reserved"], systemReservedCgroup: "/system" };
    const clock = new VirtualClock();
    const host = new SimulatedHost({ clock, cgroups: "v1" });
    for (const controller of ["cpu", "memory", "pids", "hugetlb"])
      host.kernel.addFolder(`/sys/fs/cgroup/${controller}/system`);
    const plugins = [[plugin, { cgroupRoot: "/", ...options }]] as never;
    const agent = await startTestAgent({
      clock,
      host,
      node: { systemReserved: { cpu: "500m", memory: "64Mi" } },
      plugins,
    });
    agents.push(agent);
    expect(enforced(agent)).toEqual(
      expect.arrayContaining(["Normal: Updated limits on system reserved cgroup /system"]),
    );
    expect(host.kernel.read("/sys/fs/cgroup/cpu/system/cpu.shares")).toBe("512");
  });
});
