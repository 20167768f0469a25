import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const UNIT = "/user.slice/user-1000.slice/user@1000.service/app.slice/hooklet_agent.service";
const ROOT = "/sys/fs/cgroup";
const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

/** A user's machine: systemd has given the agent its own unit's cgroup and nothing else. */
async function start(options: object = {}, prepare: (host: SimulatedHost) => void = () => undefined) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v2" });
  host.kernel.addFolder(`${ROOT}${UNIT}`);
  host.kernel.set("/proc/self/cgroup", `0::${UNIT}\n`);
  host.addProcess(4711, `${ROOT}${UNIT}`);
  const { makeDirectory } = host.kernel;
  host.kernel.makeDirectory = (path) => {
    if (host.kernel.changedAt(path) === undefined && !path.startsWith(`${ROOT}${UNIT}/`)) {
      throw Object.assign(new Error(`EACCES: ${path}`), { code: "EACCES" });
    }
    return makeDirectory.call(host.kernel, path);
  };
  host.kernel.fail(`${ROOT}/cgroup.subtree_control`, "EACCES");
  prepare(host);
  const agent = await startTestAgent({ clock, host, plugins: [[plugin, options]] });
  agents.push(agent);
  return { agent, host, read: (path: string) => host.kernel.read(`${ROOT}${path}`) };
}

const limited = aPod({
  name: "web",
  containers: [
    aContainer({ resources: { requests: { cpu: "500m", memory: "64Mi" }, limits: { cpu: "500m", memory: "64Mi" } } }),
  ],
});

describe("an agent that may only write the cgroup it was started in", () => {
  test("keeps its pods there, moves out of the way itself, and reports that once", async () => {
    const { agent, read } = await start();
    await agent.apply(limited);
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const pod = `${UNIT}/kubepods/pod${agent.pod("web").metadata.uid}`;
    expect([read(`${pod}/cpu.max`), read(`${pod}/memory.max`)]).toEqual(["50000 100000", String(64 * 1024 ** 2)]);
    expect([read(`${UNIT}/cgroup.procs`), read(`${UNIT}/hooklet-agent/cgroup.procs`)]).toEqual(["", "4711\n"]);
    expect(read(`${UNIT}/cgroup.subtree_control`)).toContain("memory");
    await agent.advance(300_000);
    const events = agent.events().filter(({ reason }) => /Cgroup/.test(reason ?? ""));
    expect(events.map(({ reason, message }) => [reason, message])).toEqual([
      ["CgroupsDelegated", `cgroups are kept below ${UNIT}, which is delegated to the agent`],
    ]);
  });

  test("shows it in /readyz and get node", async () => {
    const { agent } = await start();
    const ready = await agent.api.ready();
    expect(ready.parts.map(({ message }) => message).join()).toContain(`kept below ${UNIT}`);
    const { conditions } = await agent.api.node();
    expect(conditions.find(({ type }) => type === "CgroupsDelegated")).toMatchObject({
      status: "True",
      reason: "DelegatedSubtree",
    });
  });

  test("reports limits that are not enforced, where controllers are missing", async () => {
    const { agent } = await start({}, (host) => host.kernel.set(`${ROOT}${UNIT}/cgroup.controllers`, "memory pids"));
    const [said] = agent.events().filter(({ reason }) => reason === "CgroupsDelegated");
    expect(said?.message).toContain("without cpu: these limits are not enforced");
  });

  test("finds itself one deeper after a restart in the same unit", async () => {
    const { agent, host, read } = await start();
    host.kernel.set("/proc/self/cgroup", `0::${UNIT}/hooklet-agent\n`);
    await agent.restart();
    expect(read(`${UNIT}/kubepods/cpu.weight`)).toBeDefined();
    expect(host.kernel.directories(`${ROOT}${UNIT}/hooklet-agent`)).toEqual([]);
  });

  test("uses the cgroup that was named and none other", async () => {
    const { agent, host } = await start({ cgroupRoot: "/mine" });
    expect(agent.events().map(({ reason }) => reason)).toContain("CgroupsUnavailable");
    expect(host.kernel.directories(`${ROOT}${UNIT}`)).toEqual([]);
  });

  test("runs on without cgroups where not even that one may be written", async () => {
    const { agent } = await start({}, (host) => host.kernel.fail(`${ROOT}${UNIT}/hooklet-agent`, "EACCES"));
    const [said] = agent.events().filter(({ reason }) => reason === "CgroupsUnavailable");
    expect(said?.message).toContain(`cgroup ${UNIT} is not delegated`);
    await agent.apply(limited);
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  });
});
