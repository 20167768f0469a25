import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import plugin from "../src/index.js";
import { type HighInput, highRange, nextHigh, somePressure } from "../src/pressure/rule.js";
import { both, GIB, MIB, aPod as pod } from "./world.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

const calm: HighInput = {
  current: 500 * MIB,
  high: Number.POSITIVE_INFINITY,
  floor: 100 * MIB,
  ceiling: GIB,
  pressure: 0,
  target: 1,
  pageSize: 4096,
};

describe("the next memory.high", () => {
  test.each([
    { name: "lies a little below what is in use, while nobody waits", given: {}, next: 490 * MIB },
    { name: "stays while the pressure is near its target", given: { high: 490 * MIB, pressure: 0.7 }, next: 490 * MIB },
    {
      name: "rises by a tenth above the target",
      given: { current: 400 * MIB, high: 400 * MIB, pressure: 5 },
      next: 440 * MIB,
    },
    {
      name: "is taken away once it reaches the limit",
      given: { current: GIB, high: GIB - 4096, pressure: 5 },
      next: Number.POSITIVE_INFINITY,
    },
    { name: "never takes what the pod asked for", given: { current: 90 * MIB }, next: 100 * MIB },
    { name: "does not rise for a pod that takes more without waiting", given: { high: 300 * MIB }, next: 300 * MIB },
  ])("$name", ({ given, next }) => {
    expect(nextHigh({ ...calm, ...given })).toBe(next);
  });

  test("is in whole pages from request to limit, or none, whatever comes", () => {
    const bytes = fc.integer({ min: 0, max: 2 * GIB });
    fc.assert(
      fc.property(
        bytes,
        fc.oneof(bytes, fc.constant(Number.POSITIVE_INFINITY)),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (current, high, pressure) => {
          const next = nextHigh({ ...calm, current, high, pressure });
          if (next === high) return true;
          return next === Number.POSITIVE_INFINITY || (next % 4096 === 0 && next >= calm.floor && next < calm.ceiling);
        },
      ),
    );
  });
});

describe("who has one", () => {
  test.each([
    {
      name: "from request to limit",
      of: pod("a", [{ requests: { memory: "64Mi" }, limits: { memory: "128Mi" } }]),
      range: [64 * MIB, 128 * MIB],
    },
    {
      name: "from request to what the node can give, without a limit",
      of: pod("a", [{ requests: { memory: "64Mi" } }]),
      range: [64 * MIB, 8 * GIB],
    },
    {
      name: "not a Guaranteed pod: its request is its limit",
      of: pod("a", [both({ cpu: "1", memory: "64Mi" })]),
      range: undefined,
    },
    { name: "not a pod that does not say what it needs", of: pod("a"), range: undefined },
  ])("$name", ({ of, range }) => {
    const found = highRange(of, 8 * GIB);
    expect(found && [found.floor, found.ceiling]).toEqual(range);
  });

  test("pressure is read of the kernel's own average", () => {
    expect(somePressure("some avg10=1.25 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.50")).toBe(1.25);
    expect(somePressure(undefined)).toBeUndefined();
  });
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

  test("does nothing on v1, and says so", async () => {
    const { agent } = await start("v1", { memoryHighPressure: 1 });
    await agent.advance(60_000);
    expect(agent.log.map(({ msg }) => msg)).toContain(
      "option memoryHighPressure needs cgroup v2: it does nothing here",
    );
  });
});
