import { describe, expect, test } from "@jest/globals";
import { bytes, condition, events, metric, phase, phases, run, startNode } from "../node.js";
import { disk, memory, pod, statisticsOf } from "../pods.js";
import { message, threePods } from "../three-pods.js";

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

  test("the node has the condition, for the transition period after the last time too", async () => {
    const { agent, reported } = await threePods({ options: { evictionPressureTransitionPeriod: "1m" } });
    const pressure = () => condition(agent, "MemoryPressure");
    expect(await pressure()).toMatchObject({ status: "False", reason: "KubeletHasSufficientMemory" });
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    expect(await pressure()).toMatchObject({
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available",
    });
    const { ok, parts } = await agent.api.ready();
    expect({ ok, part: parts.find(({ name }) => name.includes("eviction")) }).toMatchObject({
      ok: true,
      part: { ok: true, message: "MemoryPressure" },
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
    expect(await metric(agent, "kubelet_admission_rejections_total")).toEqual([
      'kubelet_admission_rejections_total{reason="Evicted"} 1',
    ]);
  });

  test("one pod a round: the next goes only after the first is gone and memory is still short", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    expect(phases(agent, "modest", "small")).toBe("Running Running");
    await agent.waitFor(() => phase(agent, "small") === "Failed", 20_000);
    expect(phase(agent, "modest")).toBe("Running");
  });

  test("without readable statistics no pod is evicted", async () => {
    const { agent, reported } = await threePods();
    reported.set(memory("50Mi"));
    reported.failing = true;
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
  });

  test("explain lists the other candidates", async () => {
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
    const decisions = await agent.api.explain("pod", "default/late");
    expect(decisions.find(({ strategy }) => strategy === "pressure")?.considered).toContainEqual({
      candidate: "imagefs.available",
      // It is over, and the condition stays for a while.
      verdict: "not crossed now",
      why: expect.stringMatching(/^[\d.]+Gi of [\d.]+Gi, with the threshold of 10%$/),
    });
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
    await agent.restart();
    await agent.advance(20_000);
    expect(agent.pod("small").status).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect(await containersOf("small")).toBe(0);
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
