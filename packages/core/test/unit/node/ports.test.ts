/** `ctx.node`: what plugins say of the node, and what they ask of each other through it. */
import { aPod, startTestAgent, VirtualClock } from "@hooklet/testkit";
import { sleep } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import type { NodeConfig } from "../../../src/config/agent-config.js";
import { rcSchema } from "../../../src/config/schema.js";
import { Node } from "../../../src/node/node.js";
import { createNodePorts } from "../../../src/node/ports.js";
import { definePlugin, type NodeContext, type NodeStatistics } from "../../../src/plugin/contract.js";

const make = (options: object = { labels: { zone: "a" } }) => {
  const clock = new VirtualClock();
  const node = new Node({
    config: rcSchema.shape.node.parse({ name: "node1", evictionHard: {}, ...options }) as NodeConfig,
    rootDir: "/var/lib/x",
    machine: { cpus: 4, memoryBytes: 8 * 1024 ** 3, diskBytes: 100 * 1024 ** 3, hugePages: [] },
    platform: { os: "linux", arch: "amd64" },
    address: "192.0.2.10",
  });
  const ports = createNodePorts(node, clock, (where, error) => {
    throw new Error(where, { cause: error });
  });
  return { clock, ports, one: ports.port("one"), two: ports.port("two") };
};
const conflict = expect.objectContaining({ code: "CLAIM_CONFLICT", message: expect.stringContaining("one") });

describe("conditions", () => {
  const pressure = { status: "True", reason: "Low", message: "disk is low" } as const;

  test("the transition time moves with the status only, the heartbeat with each setting", async () => {
    const { clock, one } = make();
    const began = clock.now();
    one.setCondition("DiskPressure", pressure);
    await clock.advance(1000);
    one.setCondition("DiskPressure", { ...pressure, message: "disk is lower" });
    expect(one.conditions()).toEqual([
      {
        type: "DiskPressure",
        ...pressure,
        message: "disk is lower",
        plugin: "one",
        lastHeartbeatTime: began + 1000,
        lastTransitionTime: began,
      },
    ]);
    await clock.advance(1000);
    one.setCondition("DiskPressure", { ...pressure, status: "False" });
    expect(one.conditions()[0]?.lastTransitionTime).toBe(began + 2000);
  });

  test("a type belongs to the plugin that set it, until that one takes it away", () => {
    const { one, two } = make();
    one.setCondition("DiskPressure", pressure);
    two.setCondition("MemoryPressure", pressure);
    expect(() => two.setCondition("DiskPressure", undefined)).toThrow(conflict);
    expect(() => two.setCondition("DiskPressure", pressure)).toThrow(conflict);
    expect(two.conditions().map(({ type }) => type)).toEqual(["DiskPressure", "MemoryPressure"]);
    one.setCondition("DiskPressure", undefined);
    two.setCondition("DiskPressure", pressure);
    expect(one.conditions().map(({ type, plugin }) => [type, plugin])).toEqual([
      ["MemoryPressure", "two"],
      ["DiskPressure", "two"],
    ]);
  });

  test("those who watch them are called, until they leave", () => {
    const { one, two } = make();
    let count = 0;
    const leave = two.watchConditions(() => void count++);
    one.setCondition("DiskPressure", pressure);
    leave();
    one.setCondition("DiskPressure", undefined);
    expect(count).toBe(1);
  });

  test.each([
    ["no type", { type: "disk pressure", state: pressure }],
    ["no status", { type: "DiskPressure", state: { ...pressure, status: "yes" as "True" } }],
  ])("%s is refused", (_, { type, state }) => {
    expect(() => make().one.setCondition(type, state)).toThrow(expect.objectContaining({ code: "INVALID" }));
  });
});

test("reports the reservation, without the eviction threshold", () => {
  const node = {
    systemReserved: { cpu: "500m" },
    kubeReserved: { memory: "1Gi" },
    evictionHard: { "memory.available": "100Mi" },
  };
  const port = make(node).one;
  const systemReserved = { cpu: 500 };
  const kubeReserved = { memory: 1024 ** 3 };
  expect(port.reserved()).toEqual({ systemReserved, kubeReserved, reservedSystemCPUs: "" });
});

describe("labels and taints", () => {
  test("a plugin's labels stand beside the node's own and are replaced as a whole", () => {
    const { one, two } = make();
    one.setLabels({ "vendor.example/model": "x1", "vendor.example/count": "2" });
    two.setLabels({ "other.example/kind": "b" });
    one.setLabels({ "vendor.example/model": "x2" });
    expect(two.labels).toMatchObject({ zone: "a", "vendor.example/model": "x2", "other.example/kind": "b" });
    expect(two.labels).not.toHaveProperty("vendor.example/count");
    expect(one.facts().labels).toEqual(two.labels);
  });

  test("a label or taint of another owner is refused, and nothing of that call holds", () => {
    const { one, two } = make();
    one.setLabels({ model: "x1" });
    one.setTaints([{ key: "full", effect: "NoSchedule" }]);
    expect(() => two.setLabels({ other: "b", model: "x2" })).toThrow(conflict);
    expect(() => two.setLabels({ zone: "b" })).toThrow(/the node itself/);
    expect(() => two.setTaints([{ key: "full", effect: "NoSchedule" }])).toThrow(conflict);
    two.setTaints([{ key: "full", effect: "NoExecute" }]);
    expect(two.facts().labels).not.toHaveProperty("other");
    expect(two.facts().taints.map(({ effect }) => effect)).toEqual(["NoSchedule", "NoExecute"]);
  });

  test.each([
    ["a label's name", () => make().one.setLabels({ "not a name": "x" })],
    ["a label's value", () => make().one.setLabels({ model: "not a value" })],
    ["a taint's effect", () => make().one.setTaints([{ key: "full", effect: "Sometimes" }])],
  ])("%s is checked", (_, set) => {
    expect(set).toThrow(expect.objectContaining({ code: "INVALID" }));
  });
});

const summary = (nodeName: string): NodeStatistics => ({
  node: { nodeName, startTime: "2026-01-01T00:00:00Z", fs: { time: "2026-01-01T00:00:00Z", usedBytes: 5 } },
  pods: [],
});

test("one plugin sets the place of pods' cgroups, for all plugins", () => {
  const { one, two } = make();
  expect(two.cgroups()).toBeUndefined();
  const classes = { Guaranteed: "/kubepods", Burstable: "/kubepods/b", BestEffort: "/kubepods/e" };
  const where = { all: "/kubepods", classes, pod: () => "/kubepods/pod1", container: (id: string) => id };
  let open = false;
  one.provideCgroups(() => (open ? where : undefined));
  expect(two.cgroups()).toBeUndefined();
  open = true;
  expect(two.cgroups()).toBe(where);
  expect(() => two.provideCgroups(() => undefined)).toThrow(conflict);
});

describe("statistics", () => {
  test("without a provider there are none; a second provider is refused", async () => {
    const { one, two } = make();
    expect(await two.statistics()).toBeUndefined();
    one.provideStatistics({ read: async () => summary("a") });
    expect(() => two.provideStatistics({ read: async () => summary("b") })).toThrow(conflict);
    expect(await two.statistics()).toEqual(summary("a"));
  });

  test("their provider reports memory alone and measures disks, where it can", async () => {
    const { one, two } = make();
    expect(two.memory()).toBeUndefined();
    await two.measureDisks(10);
    const asked: number[] = [];
    const memory = { memory: { time: "2026-01-01T00:00:00Z", usageBytes: 5 } };
    one.provideStatistics({
      read: async () => summary("a"),
      memory: () => memory,
      measureDisks: async (maxAge) => void asked.push(maxAge),
    });
    await two.measureDisks(10);
    expect([two.memory(), asked]).toEqual([memory, [10]]);
  });

  test("are read again only when the last ones are older than requested, one reading at a time", async () => {
    const { clock, one } = make();
    let [readings, atOnce, most] = [0, 0, 0];
    const read = async () => {
      most = Math.max(most, ++atOnce);
      await sleep(clock, 100);
      atOnce -= 1;
      return summary(`reading ${++readings}`);
    };
    one.provideStatistics({ read });
    const first = [one.statistics(), one.statistics(), one.statistics(0)];
    await clock.advance(50);
    // These need one that begins after them: it waits, and they share it.
    first.push(one.statistics(0), one.statistics(0));
    await clock.advance(500);
    const names = (await Promise.all(first)).map((one) => one?.node.nodeName);
    expect(names).toEqual(["reading 1", "reading 1", "reading 1", "reading 2", "reading 2"]);
    await clock.advance(9_000);
    expect((await one.statistics())?.node.nodeName).toBe("reading 2");
    const anew = one.statistics(5);
    await clock.advance(100);
    expect((await anew)?.node.nodeName).toBe("reading 3");
    expect(most).toBe(1);
  });

  test("a reading that hangs is aborted and given up after 30 s, and no second one begins beside it", async () => {
    const { clock, one } = make();
    let signal: AbortSignal | undefined;
    let [begun, release] = [0, (_: NodeStatistics) => {}];
    const read = (given: AbortSignal) => {
      [signal, begun] = [given, begun + 1];
      return new Promise<NodeStatistics>((resolve) => {
        release = resolve;
      });
    };
    one.provideStatistics({ read });
    const late = one.statistics().catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await late).toMatchObject({
      code: "HOST_UNAVAILABLE",
      plugin: "one",
      message: 'The statistics of plugin "one" did not come within 30 s; it is still reading.',
    });
    expect(signal?.aborted).toBe(true);
    const next = one.statistics();
    await clock.advance(1000);
    expect(begun).toBe(1);
    release(summary("late"));
    await clock.settle();
    expect(begun).toBe(2);
    release(summary("good"));
    expect(await next).toEqual(summary("good"));
  });

  test("a failure is the asker's, and is not kept", async () => {
    const { one } = make();
    let fails = true;
    const read = async () => {
      if (fails) throw new Error("no cgroups here");
      return summary("well");
    };
    one.provideStatistics({ read });
    await expect(one.statistics()).rejects.toThrow("no cgroups here");
    fails = false;
    expect(await one.statistics()).toEqual(summary("well"));
  });

  test("the agent's stop aborts a reading", async () => {
    const { ports, one } = make();
    const read = (signal: AbortSignal) =>
      new Promise<NodeStatistics>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    one.provideStatistics({ read });
    const reading = one.statistics();
    ports.stop();
    await expect(reading).rejects.toMatchObject({ code: "AGENT_STOPPING" });
  });
});

describe("reclaim", () => {
  test("offers run in their order, for any caller, and learn which plugin asks", async () => {
    const { one, two } = make();
    const asked: string[] = [];
    const offer = (name: string, order: number) => ({
      name,
      order,
      frees: "image" as const,
      reclaim: async (_: AbortSignal, by: string) => {
        asked.push(`${name} for ${by}`);
        return { removed: 1, freedBytes: 7 };
      },
    });
    one.offerReclaim(offer("unused images", 10));
    one.offerReclaim(offer("dead containers", 0));
    const { signal } = new AbortController();
    for (const reclaimer of two.reclaimers()) {
      expect(await reclaimer.reclaim(signal)).toEqual({ removed: 1, freedBytes: 7 });
    }
    expect(asked).toEqual(["dead containers for two", "unused images for two"]);
    expect(two.reclaimers()[0]).toMatchObject({ plugin: "one", frees: "image", order: 0 });
  });

  test("one that heeds no signal is left at its deadline, at the asker's abort and at the agent's stop", async () => {
    const { clock, ports, one } = make();
    const signals: AbortSignal[] = [];
    const reclaim = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    one.offerReclaim({ name: "nothing", frees: "container", order: 0, reclaim });
    const [reclaimer] = one.reclaimers();
    const stop = new AbortController();
    const ask = (signal: AbortSignal) => reclaimer?.reclaim(signal).catch((error: unknown) => error);
    const aborted = ask(stop.signal);
    const late = ask(new AbortController().signal);
    stop.abort(new Error("enough"));
    expect(await aborted).toMatchObject({ message: "enough" });
    await clock.advance(120_000);
    expect(await late).toMatchObject({ code: "HOST_UNAVAILABLE", message: expect.stringContaining("120 s") });
    const last = ask(new AbortController().signal);
    ports.stop();
    expect(await last).toMatchObject({ code: "AGENT_STOPPING" });
    expect(signals.map(({ aborted: one }) => one)).toEqual([true, true, true]);
    expect(clock.pending).toBe(0);
  });
});

describe("in the agent", () => {
  const speaking = (say: (ctx: NodeContext) => void) =>
    definePlugin({ meta: { name: "speaking", api: 1 }, start: say });

  test("labels and taints of plugins are in the node's report, survive switching the plugin off, and decide admission", async () => {
    const plugin = speaking(({ node }) => {
      node.setCondition("DiskPressure", { status: "True", reason: "Low", message: "disk is low" });
      node.setLabels({ "vendor.example/model": "x1" });
      node.setTaints([{ key: "full", effect: "NoExecute" }]);
    });
    const agent = await startTestAgent({ plugins: [plugin] });
    agent.api.switchPlugin("speaking", false);
    const report = await agent.api.node();
    expect(report.conditions).toMatchObject([{ type: "DiskPressure", status: "True", plugin: "speaking" }]);
    expect(report.labels).toMatchObject({ "vendor.example/model": "x1" });
    expect(report.taints).toEqual([{ key: "full", effect: "NoExecute" }]);
    await agent.apply(aPod());
    await agent.waitFor(() => agent.pod("web").status?.phase === "Failed");
  });

  test("only the condition Ready counts for /readyz", async () => {
    let context: NodeContext | undefined;
    const agent = await startTestAgent({
      plugins: [
        speaking((ctx) => {
          context = ctx;
        }),
      ],
    });
    context?.node.setCondition("DiskPressure", { status: "True", reason: "Low", message: "disk is low" });
    expect(await agent.api.ready()).toMatchObject({ ok: true });
    context?.node.setCondition("Ready", { status: "False", reason: "Cordoned", message: "under repair" });
    const { ok, parts } = await agent.api.ready();
    expect(ok).toBe(false);
    expect(parts).toContainEqual({ name: "node", ok: false, message: "Cordoned: under repair" });
    expect(await agent.api.health()).toMatchObject({ ok: true });
  });

  test("statistics reach the API, whole or cut to processor and memory", async () => {
    const agent = await startTestAgent({
      plugins: [speaking(({ node }) => node.provideStatistics({ read: async () => summary("node1") }))],
    });
    expect(await agent.api.statistics()).toEqual(summary("node1"));
    expect((await agent.api.statistics({ onlyCpuAndMemory: true }))?.node).toEqual({
      nodeName: "node1",
      startTime: "2026-01-01T00:00:00Z",
    });
  });
});
