import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";
import { MIB } from "../world.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

describe("option memoryHighPressure", () => {
  const burstable = aPod({
    name: "web",
    containers: [aContainer({ resources: { requests: { memory: "64Mi" }, limits: { memory: "256Mi" } } })],
  });

  async function start(version: "v1" | "v2", options: object) {
    const clock = new VirtualClock();
    const host = new SimulatedHost({ clock, cgroups: version });
    const agent = await startTestAgent({ clock, host, plugins: [[plugin, { cgroupRoot: "/", ...options }]] });
    agents.push(agent);
    await agent.apply(burstable);
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const folder = `/sys/fs/cgroup/kubepods/burstable/pod${agent.pod("web").metadata.uid}`;
    const say = (file: string, text: string) => host.kernel.set(`${folder}/${file}`, text);
    return { agent, host, say, high: () => host.kernel.read(`${folder}/memory.high`) };
  }

  test("follows the pressure down and up, and is taken back when the agent goes", async () => {
    const { agent, say, high } = await start("v2", { memoryHighPressure: 1 });
    say("memory.current", String(200 * MIB));
    await agent.advance(10_000);
    expect(high()).toBe(String(196 * MIB));
    say("memory.pressure", "some avg10=20.00 avg60=0.00 avg300=0.00 total=0");
    await agent.advance(10_000);
    expect(Number(high())).toBe(220 * MIB);
    await agent.stop();
    expect(high()).toBe("max");
  });

  test("what an agent with the option left behind is taken back by one without", async () => {
    const { agent, say, high } = await start("v2", {});
    say("memory.high", String(100 * MIB));
    await agent.restart();
    expect(high()).toBe("max");
  });

  test("does nothing on v1, and reports that", async () => {
    const { agent } = await start("v1", { memoryHighPressure: 1 });
    await agent.advance(60_000);
    expect(agent.log.map(({ msg }) => msg)).toContain(
      "option memoryHighPressure needs cgroup v2: it does nothing here",
    );
  });
});
