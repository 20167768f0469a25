import type { StrategyTable } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import type { RankingStrategy } from "../src/index.js";
import { bytes, condition, events, metric, phase, phases, run, startNode } from "./node.js";
import { disk, memory, pod, statisticsOf } from "./pods.js";

const hungry = pod("hungry", { memory: "100Mi" });
const modest = pod("modest", { memory: "1Gi" });
const small = pod("small", { memory: "200Mi" });
const usage = [
  statisticsOf(hungry, { memory: bytes("700Mi"), disk: bytes("1Gi") }),
  statisticsOf(modest, { memory: bytes("900Mi"), disk: bytes("2Gi") }),
  statisticsOf(small, { memory: bytes("100Mi"), disk: bytes("3Gi") }),
];

/** Three pods run; `hungry` alone is over its request. */
async function threePods(parts: Parameters<typeof startNode>[0] = {}) {
  const { agent, reported } = await startNode(parts);
  reported.pods = usage;
  await run(agent, hungry, modest, small);
  expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
  return { agent, reported };
}

const message =
  "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. " +
  "Container main was using 700Mi, request is 100Mi, has larger consumption of memory. ";

describe("memory runs short", () => {
  test("the pod over its request goes with the kubelet's words, the others live", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    reported.calm();
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Failed Running Running");
    const { status } = agent.pod("hungry");
    expect(status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message,
    });
    const evicted = agent.events().find(({ reason }) => reason === "Evicted");
    expect(evicted).toMatchObject({ type: "Warning", message });
    expect(evicted?.metadata.annotations).toEqual({
      offending_containers: "main",
      offending_containers_usage: "700Mi",
      starved_resource: "memory",
    });
    expect(await metric(agent, "kubelet_evictions")).toEqual([
      'kubelet_evictions{eviction_signal="memory.available"} 1',
    ]);
    expect(agent.problems()).toEqual([]);
  });

  test("the node says so, for the transition period after the last time too", async () => {
    const { agent, reported } = await threePods({ options: { evictionPressureTransitionPeriod: "1m" } });
    const pressure = () => condition(agent, "MemoryPressure");
    expect(await pressure()).toMatchObject({ status: "False", reason: "KubeletHasSufficientMemory" });
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    expect(await pressure()).toMatchObject({
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available",
    });
    reported.calm();
    await agent.advance(50_000);
    expect((await pressure())?.status).toBe("True");
    await agent.advance(30_000);
    expect(await pressure()).toMatchObject({ status: "False", reason: "KubeletHasSufficientMemory" });
    expect(events(agent, "node1").filter((line) => /memory/i.test(line))).toEqual([
      "Normal NodeHasInsufficientMemory: Node node1 status is now: NodeHasInsufficientMemory",
      "Warning EvictionThresholdMet: Attempting to reclaim memory",
      "Normal NodeHasSufficientMemory: Node node1 status is now: NodeHasSufficientMemory",
    ]);
  });

  test("a new pod without requests is turned away, one with requests comes in", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    reported.calm();
    await run(agent, pod("late"), pod("asking", { memory: "10Mi" }));
    expect(agent.pod("late").status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [MemoryPressure]. ",
    });
    expect(phase(agent, "asking")).toBe("Running");
  });

  test("one pod a round: the next goes only after the first is gone and memory is still short", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    expect(phases(agent, "modest", "small")).toBe("Running Running");
    await agent.waitFor(() => phase(agent, "small") === "Failed", 20_000);
    expect(phase(agent, "modest")).toBe("Running");
  });

  test("statistics that cannot be read evict nobody", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    reported.failing = true;
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
  });

  test("explain says who else was looked at", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    const [decision] = await agent.api.explain("pod", "hungry");
    expect(decision).toMatchObject({ strategy: "kubelet", plugin: "@hooklet/plugin-eviction" });
    expect(decision?.considered).toEqual([
      {
        candidate: "pod/default/hungry",
        verdict: "victim",
        why: "over its request; uses 700Mi memory of 100Mi requested; priority 0",
      },
      { candidate: "pod/default/small", verdict: "spared", why: "uses 100Mi memory of 200Mi requested; priority 0" },
      { candidate: "pod/default/modest", verdict: "spared", why: "uses 900Mi memory of 1Gi requested; priority 0" },
    ]);
  });
});

describe("a disk runs full", () => {
  test("what other plugins offer to clean goes first, and no pod when that is enough", async () => {
    const { agent, reported } = await threePods();
    reported.onReclaim = (name) => {
      if (name === "unused images") reported.set(disk("40Gi"));
    };
    reported.set(disk("5Gi"));
    await agent.advance(20_000);
    expect(reported.reclaimed).toEqual(["dead containers", "unused images"]);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
    expect((await condition(agent, "DiskPressure"))?.status).toBe("True");
  });

  test("then the pod that is furthest over its request of storage", async () => {
    const { agent, reported } = await threePods();
    reported.set(disk("5Gi"));
    await agent.waitFor(() => phase(agent, "small") === "Failed", 20_000);
    reported.calm();
    await agent.advance(30_000);
    expect(phases(agent, "hungry", "modest")).toBe("Running Running");
    await run(agent, pod("late", { memory: "10Mi" }));
    expect(agent.pod("late").status?.message).toBe("Pod was rejected: The node had condition: [DiskPressure]. ");
  });

  test("what the victim has written goes with it: its containers and their logs", async () => {
    const { agent, reported } = await threePods();
    const containersOf = async (name: string) =>
      (await agent.runtime.listContainers()).filter(({ labels }) => labels["io.kubernetes.pod.name"] === name).length;
    expect(await containersOf("small")).toBe(1);
    reported.set(disk("5Gi"));
    await agent.waitFor(() => phase(agent, "small") === "Failed", 20_000);
    await agent.advance(500);
    reported.calm();
    expect(await containersOf("small")).toBe(0);
    await agent.advance(60_000);
    expect(agent.pod("small").status).toMatchObject({ phase: "Failed", reason: "Evicted" });
  });

  test("a pod over its emptyDir limit goes without any pressure", async () => {
    const { agent, reported } = await startNode();
    const over = pod("over", {}, { spec: { volumes: [{ name: "data", emptyDir: { sizeLimit: "1024Mi" } }] } });
    await run(agent, over);
    reported.pods = [{ ...statisticsOf(over, {}), volume: [{ name: "data", usedBytes: bytes("2Gi") }] }];
    await agent.waitFor(() => phase(agent, "over") === "Failed", 20_000);
    expect(agent.pod("over").status?.message).toBe('Usage of EmptyDir volume "data" exceeds the limit "1Gi". ');
    expect(agent.pod("over").status?.conditions?.some(({ type }) => type === "DisruptionTarget")).toBe(false);
    expect(await metric(agent, "kubelet_evictions")).toEqual([
      'kubelet_evictions{eviction_signal="emptydirfs.limit"} 1',
    ]);
  });
});

describe("options beyond the kubelet's", () => {
  test("a dry run tells and kills nobody", async () => {
    const { agent, reported } = await threePods({ options: { mode: "dry-run" } });
    reported.set({ ...memory("50Mi"), ...disk("5Gi") });
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
    expect(events(agent, "hungry")).toContain(`Normal EvictionDryRun: Would be evicted: ${message}`);
    expect(reported.reclaimed).toEqual([]);
  });

  test("a strategy whose answer is of no use is told, and the kubelet's order holds", async () => {
    const strategies: StrategyTable<RankingStrategy> = {
      broken: { description: "nobody", options: (z) => z.strictObject({}), create: () => () => [] },
    };
    const { agent, reported } = await threePods({ strategies, options: { ranking: "broken" } });
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    expect(events(agent, "node1").join("\n")).toContain('ranking strategy "broken" left out pod');
  });
});

describe("plan eviction", () => {
  const plan = (agent: Awaited<ReturnType<typeof startNode>>["agent"], given: Record<string, string>) =>
    agent.api.plan("@hooklet/plugin-eviction", { arguments: given });

  test("says who would go for a signal, and changes nothing", async () => {
    const { agent } = await threePods();
    const [decision] = await plan(agent, { signal: "memory.available" });
    expect(decision).toMatchObject({ subject: "signal/memory.available", outcome: "would evict default/hungry" });
    const [onDisk] = await plan(agent, { signal: "imagefs.available" });
    expect(onDisk?.outcome).toBe(
      "would remove unused containers and images first; if that is not enough, would evict default/small",
    );
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
  });

  test("without a signal it goes by what is crossed", async () => {
    const { agent, reported } = await threePods();
    expect((await plan(agent, {}))[0]?.outcome).toBe("no threshold is crossed; nobody would go");
    reported.set(memory("50Mi"));
    expect((await plan(agent, {})).map(({ subject }) => subject)).toEqual(["signal/memory.available"]);
  });

  test.each([
    { name: "an unknown signal", given: { signal: "mem" }, says: "expected --signal of memory.available, " },
    { name: "another argument", given: { until: "70" }, says: "found --until" },
  ])("$name is refused", async ({ given, says }) => {
    const { agent } = await startNode();
    await expect(plan(agent, given as unknown as Record<string, string>)).rejects.toThrow(says);
  });
});
