/** Statistics that are late, gone or unreadable; pods that will not die; the same shortage never costs a second pod. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { bytes, events, metric, phase, phases, run, startNode } from "../node.js";
import { disk, memory, pod, statisticsOf } from "../pods.js";

const greedy = pod("greedy", { memory: "100Mi" }, { spec: { terminationGracePeriodSeconds: 2 } });
const modest = pod("modest", { memory: "1Gi" });
const young = pod("young", { memory: "1Gi" });

async function node(parts: Parameters<typeof startNode>[0] = {}) {
  const { agent, reported } = await startNode(parts);
  reported.pods = [
    statisticsOf(greedy, { memory: bytes("700Mi") }),
    statisticsOf(modest, { memory: bytes("900Mi") }),
    statisticsOf(young, { memory: bytes("100Mi") }),
  ];
  await run(agent, greedy, modest, young);
  return { agent, reported, all: () => phases(agent, "greedy", "modest", "young") };
}

describe("statistics", () => {
  test("that are late delay the round and decide it once they are there", async () => {
    const { agent, reported, all } = await node();
    reported.set(memory("50Mi"));
    reported.delay = 25_000;
    await agent.advance(30_000);
    expect(all()).toBe("Running Running Running");
    await agent.waitFor(() => phase(agent, "greedy") === "Failed", 20_000);
    reported.calm();
    await agent.advance(120_000);
    expect(all()).toBe("Failed Running Running");
  });

  test("that never come evict no pod, are reported, and leave the rounds alive", async () => {
    const { agent, reported, all } = await node();
    reported.set(memory("50Mi"));
    reported.delay = Number.POSITIVE_INFINITY;
    await agent.advance(100_000);
    expect(all()).toBe("Running Running Running");
    expect(agent.problems()).toContain("eviction manager: failed to get summary stats");
    const health = async () => JSON.stringify(await agent.api.health());
    expect(await health()).toContain("no round: The statistics of plugin");
    reported.release();
    await agent.waitFor(() => phase(agent, "greedy") === "Failed", 60_000);
    expect(await health()).not.toContain("no round");
  });

  test("that fail the same way each round are reported once, until they work again", async () => {
    const { agent, reported } = await node();
    const recorded = () => agent.problems().filter((text) => text.includes("failed to get summary stats")).length;
    reported.failing = true;
    await agent.advance(100_000);
    expect(recorded()).toBe(1);
    reported.failing = false;
    await agent.advance(30_000);
    reported.failing = true;
    await agent.advance(30_000);
    expect(recorded()).toBe(2);
  });

  test("without a provider evict no pod; the agent's health names the plugin to switch on", async () => {
    const { agent } = await startNode({ provided: false });
    await run(agent, greedy);
    await agent.advance(30_000);
    expect(JSON.stringify(await agent.api.health())).toContain("switch plugin stats on again");
    expect(agent.problems()).toEqual(["eviction manager: failed to get summary stats"]);
  });

  test("of disks are measured again before an eviction for a full one, and for nothing else", async () => {
    const { agent, reported } = await node();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "greedy") === "Failed", 20_000);
    expect(reported.disksAsked).toEqual([]);
    reported.set({ ...memory("4Gi"), ...disk("1Gi") });
    await agent.waitFor(() => phases(agent, "modest", "young").includes("Failed"), 30_000);
    expect(reported.disksAsked[0]).toBe(10);
  });

  test("without a pod rank this pod first, as in the kubelet", async () => {
    const { agent, reported, all } = await node();
    reported.pods = reported.pods.filter(({ podRef }) => podRef.name !== "young");
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "young") === "Failed", 20_000);
    reported.calm();
    await agent.advance(60_000);
    expect(all()).toBe("Running Running Failed");
    expect(agent.pod("young").status?.message).toBe(
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ",
    );
  });
});

describe("a pod that will not die", () => {
  test("is retried, and no other pod is evicted in its place while it uses most", async () => {
    const { agent, reported, all } = await node();
    agent.runtime.failNext("stopContainer", "the container is stuck", 1000);
    reported.set(memory("50Mi"));
    await agent.advance(180_000);
    expect(events(agent, "greedy").filter((line) => line.startsWith("Warning Evicted"))).toHaveLength(1);
    expect(events(agent, "greedy").join("\n")).toContain("Warning ExceededGracePeriod");
    expect(all()).toBe("Failed Running Running");
    expect(agent.runtime.running("greedy")).toHaveLength(1);
  });

  test("is still the victim of an agent that comes after one that waited in vain", async () => {
    const { agent, reported, all } = await node();
    agent.runtime.failNext("stopContainer", "the container is stuck", 4);
    reported.look = () => reported.set(memory(agent.runtime.running("greedy").length > 0 ? "50Mi" : "4Gi"));
    await agent.advance(25_000);
    expect(agent.runtime.running("greedy")).toHaveLength(1);
    // What the next agent sees first would make another one the victim.
    reported.pods = [statisticsOf(greedy, {}), ...reported.pods.slice(1)];
    await agent.restart();
    await agent.waitFor(() => agent.runtime.running("greedy").length === 0, 60_000);
    await agent.advance(60_000);
    expect(all()).toBe("Failed Running Running");
  });
});

describe("escalation", () => {
  const soft = {
    evictionSoft: { "memory.available": "1Gi" },
    evictionSoftGracePeriod: { "memory.available": "10s" },
    evictionMaxPodGracePeriod: 600,
  };
  const slow = pod("slow", {}, { spec: { terminationGracePeriodSeconds: 600 } });

  /** A soft eviction is under way, its victim takes ten minutes; then memory falls below the hard threshold. */
  async function slowEviction(options: object) {
    const { agent, reported } = await startNode({ options: { ...soft, ...options } });
    reported.pods = [statisticsOf(slow, { memory: bytes("2Gi") })];
    agent.runtime.script({ pod: "slow" }, (process) => process.onTerm(() => undefined));
    await run(agent, slow);
    reported.set(memory("500Mi"));
    await agent.waitFor(() => events(agent, "slow").some((line) => line.startsWith("Warning Evicted")), 60_000);
    reported.set(memory("50Mi"));
    await agent.advance(30_000);
    return agent;
  }

  test("a hard threshold cuts the grace period of a soft eviction, and counts as no second eviction", async () => {
    const agent = await slowEviction({ escalate: true });
    expect(agent.runtime.running("slow")).toHaveLength(0);
    expect(await metric(agent, "kubelet_evictions")).toEqual([
      'kubelet_evictions{eviction_signal="memory.available"} 1',
    ]);
  });

  test("without it the pod keeps its time", async () => {
    const agent = await slowEviction({});
    expect(agent.runtime.running("slow")).toHaveLength(1);
  });
});

test("a victim is evicted although the agent cannot write, and the log has that", async () => {
  const { agent, reported, all } = await node();
  const plugins = join(agent.rootDir, "state", "plugins");
  await mkdir(plugins, { recursive: true });
  // No folder can be made here any more, as on a disk without room.
  await writeFile(join(plugins, "_hooklet_plugin-eviction"), "");
  reported.look = () => reported.set(memory(agent.runtime.running("greedy").length > 0 ? "50Mi" : "4Gi"));
  await agent.waitFor(() => phase(agent, "greedy") === "Failed", 20_000);
  await agent.advance(60_000);
  expect(all()).toBe("Failed Running Running");
  expect(agent.problems().join()).toContain("the victim is not on disk");
});
