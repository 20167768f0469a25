import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { decisions, metric, phase, quick, run, startNode, staticPod, stubborn, warnings } from "../node.js";
import { bestEffort, burstable, critical, guaranteed } from "../pods.js";

interface Golden {
  readonly requests: Readonly<Record<string, { readonly cpu?: string }>>;
  readonly refused: Readonly<Record<string, object>>;
  readonly events: readonly string[];
  readonly pods_after: Readonly<Record<string, { qosClass: string; phase: string; conditions: readonly object[] }>>;
}

const golden = JSON.parse(readFileSync(new URL("../../golden/preemption.json", import.meta.url), "utf8")) as Golden;

/** Four pods fill the node, one is refused, then a static pod of 1 CPU comes. */
async function story(options: unknown = {}) {
  const agent = await startNode({ options });
  await run(
    agent,
    bestEffort("f-be"),
    burstable("f-bu600", { cpu: "600m" }),
    burstable("f-bu500", { cpu: "500m" }),
    guaranteed("f-gu700", { cpu: "700m", memory: "16Mi" }),
  );
  await run(agent, burstable("f-late", { cpu: "500m" }));
  await run(agent, burstable("crit-node1", { cpu: "1" }, staticPod));
  await agent.advance(40_000);
  return agent;
}

describe("the story that a kubelet was watched in", () => {
  test("the same pod is refused, the same two go in the same order, and the critical one runs", async () => {
    const agent = await story();
    expect(agent.pod("f-late").status).toMatchObject(golden.refused["f-late"] ?? {});
    expect(warnings(agent).map((line) => line.replace(/^(\S+) (\w+):/, "Warning $2 $1:"))).toEqual(golden.events);
    expect(agent.problems()).toEqual([]);
    expect(await metric(agent, "kubelet_preemptions")).toEqual(['kubelet_preemptions{preemption_signal="cpu"} 2']);
  });

  test.each(Object.entries(golden.pods_after))("%s ends as it did there", async (name, expected) => {
    const agent = await story();
    const { status } = agent.pod(name);
    const isVictim = expected.conditions.some(
      (condition) => "type" in condition && condition.type === "DisruptionTarget",
    );
    expect(status?.qosClass).toBe(expected.qosClass);
    if (!isVictim) {
      expect(status).toMatchObject({ phase: expected.phase, conditions: expected.conditions });
      return;
    }
    // On purpose otherwise than 1.33: Failed, whatever the exit code.
    expect(status).toMatchObject({
      phase: "Failed",
      reason: "Preempting",
      message: "Preempted in order to admit critical pod",
    });
    expect(status?.conditions?.[0]).toMatchObject(expected.conditions[0] ?? {});
    expect(agent.runtime.running(name)).toEqual([]);
  });

  test("explain lists what the rejected pod lacks and which pods hold it", async () => {
    const agent = await story();
    const [decision] = decisions(agent, "f-late");
    expect(decision?.outcome).toBe("rejected: OutOfcpu");
    expect(decision?.considered.map(({ candidate, verdict, why }) => `${candidate} ${verdict} ${why}`)).toEqual([
      "core OutOfcpu Node didn't have enough resource: cpu, requested: 500, used: 1800, capacity: 2000",
      "pod/default/f-gu700 uses cpu: 700 of 2000",
      "pod/default/f-bu600 uses cpu: 600 of 2000",
      "pod/default/f-bu500 uses cpu: 500 of 2000",
    ]);
  });

  test("explain of a victim names the preemptor, the rule, and how near the others were", async () => {
    const agent = await story();
    const [decision, ...others] = decisions(agent, "f-bu600");
    expect(others).toEqual([]);
    expect(decision).toMatchObject({
      plugin: "@hooklet/plugin-preemption",
      strategy: "kubelet",
      subject: "pod/default/f-bu600",
      outcome: "evicted for pod default/crit-node1: Preempting: Preempted in order to admit critical pod",
    });
    expect(decision?.considered.map(({ candidate, verdict, why }) => `${candidate} ${verdict}: ${why}`)).toEqual([
      "pod/default/f-bu600 victim: Burstable; gives cpu 600 of 800; distance 0.0625",
      "pod/default/f-bu500 victim: Burstable; gives cpu 500 of 800; distance 0.1406",
      "pod/default/f-gu700 spared: Guaranteed; gives cpu 700 of 800; distance 0.01563",
      "pod/default/f-be spared: BestEffort; gives cpu 0 of 800; distance 1",
    ]);
  });
});

describe("a critical pod", () => {
  test("that cannot fit even with all victims kills no pod, and is rejected with the kubelet's message", async () => {
    const agent = await startNode();
    await run(agent, burstable("bu", { cpu: "500m" }), burstable("fixed", { cpu: "1500m" }, staticPod));
    await run(agent, critical("crit", { cpu: "1" }));
    expect(agent.pod("crit").status).toMatchObject({
      phase: "Failed",
      reason: "UnexpectedAdmissionError",
      message:
        "Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error finding a set " +
        "of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 500), ]",
    });
    expect([phase(agent, "bu"), phase(agent, "fixed")]).toEqual(["Running", "Running"]);
    expect(decisions(agent, "crit")[0]?.considered).toContainEqual({
      candidate: "pod/default/fixed",
      verdict: "protected",
      why: "critical: it is static",
    });
  });

  test("that does not fit for another reason as well kills no pod: the other reason is reported", async () => {
    const agent = await startNode();
    await run(agent, burstable("bu", { cpu: "2" }));
    await run(
      agent,
      burstable("crit", { cpu: "1" }, { spec: { priority: 2_000_000_000, nodeSelector: { disk: "ssd" } } }),
    );
    expect(agent.pod("crit").status?.reason).toBe("NodeAffinity");
    expect(phase(agent, "bu")).toBe("Running");
  });

  test("gets through though a victim cannot be killed in time: the others are killed all the same", async () => {
    const agent = await startNode();
    await run(agent, burstable("goes", { cpu: "1" }, quick), burstable("hangs", { cpu: "1" }, quick));
    agent.runtime.failNext("stopContainer", "the shim does not answer");
    await run(agent, critical("crit", { cpu: "2" }));
    await agent.advance(30_000);
    expect(warnings(agent)).toContain(
      "hangs ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.",
    );
    expect([phase(agent, "goes"), phase(agent, "crit")]).toEqual(["Failed", "Running"]);
    expect(agent.problems()).toContainEqual(
      "preemption: failed to evict pod default/hangs: timeout waiting to kill pod",
    );
    expect(await metric(agent, "kubelet_preemptions")).toEqual(['kubelet_preemptions{preemption_signal="cpu"} 1']);
  });

  test("waits for a victim that ignores TERM as long as the victim's own grace period", async () => {
    const agent = await startNode();
    stubborn(agent, "stubborn");
    await run(agent, burstable("stubborn", { cpu: "2" }, { spec: { terminationGracePeriodSeconds: 8 } }));
    const began = agent.clock.monotonic();
    await agent.apply(critical("crit", { cpu: "1" }));
    await agent.waitFor(() => phase(agent, "crit") === "Running");
    expect(Math.round((agent.clock.monotonic() - began) / 1000)).toBe(8);
    expect(agent.pod("stubborn").status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  test("waits for hours where a victim's grace period requires it", async () => {
    const agent = await startNode();
    stubborn(agent, "slow");
    await run(agent, burstable("slow", { cpu: "2" }, { spec: { terminationGracePeriodSeconds: 7200 } }));
    await agent.apply(critical("crit", { cpu: "1" }));
    await agent.advance(7_190_000);
    expect(phase(agent, "crit")).toBe("Pending");
    await agent.advance(20_000);
    expect(phase(agent, "crit")).toBe("Running");
  });

  test("does not mind victims that are deleted or end by themselves while others die", async () => {
    const agent = await startNode();
    const grace = { spec: { terminationGracePeriodSeconds: 20 } };
    for (const name of ["ends", "is-deleted", "vanishes"]) {
      stubborn(agent, name);
      await run(agent, burstable(name, { cpu: "600m" }, grace));
    }
    await agent.apply(critical("crit", { cpu: "2" }));
    await agent.advance(1_000);
    const [first, ...others] = ["ends", "is-deleted", "vanishes"].sort(
      (a, b) => warnings(agent, b).length - warnings(agent, a).length,
    );
    for (const name of others) await agent.delete(name);
    agent.runtime.exit(first ?? "", "main", 0);
    await agent.waitFor(() => phase(agent, "crit") === "Running");
    expect(agent.problems()).toEqual([]);
    expect(warnings(agent)).toHaveLength(1);
  });

  test("that is deleted meanwhile costs no further victim", async () => {
    const agent = await startNode();
    for (const name of ["a", "b"]) stubborn(agent, name);
    await run(agent, burstable("a", { cpu: "1" }), burstable("b", { cpu: "1" }));
    await agent.apply(critical("crit", { cpu: "2" }));
    await agent.advance(5_000);
    await agent.delete("crit");
    await agent.advance(120_000);
    expect([phase(agent, "a"), phase(agent, "b")].sort()).toEqual(["Failed", "Running"]);
  });

  test("of a lower system priority is preempted by a higher one, but by no equal", async () => {
    const agent = await startNode();
    const of = (name: string, priority: number) => burstable(name, { cpu: "2" }, { spec: { priority } });
    await run(agent, of("cluster", 2_000_000_000));
    await run(agent, of("equal", 2_000_000_000));
    await run(agent, of("node", 2_000_001_000));
    await agent.advance(60_000);
    expect([phase(agent, "cluster"), agent.pod("equal").status?.reason]).toEqual([
      "Failed",
      "UnexpectedAdmissionError",
    ]);
    expect(phase(agent, "node")).toBe("Running");
  });
});

test("an ordinary pod preempts no pod, not even with its higher priority", async () => {
  const agent = await startNode();
  await run(
    agent,
    burstable("bu", { cpu: "2" }),
    burstable("late", { cpu: "1" }, { spec: { priority: 1_000_000_000 } }),
  );
  expect([phase(agent, "bu"), agent.pod("late").status?.reason]).toEqual(["Running", "OutOfcpu"]);
});

describe("option verify", () => {
  test.each([
    { verify: false, name: "without it a pod takes what a victim that would not die still has", phase: "Running" },
    { verify: true, name: "with it two pods never have the same", phase: "Failed" },
  ])("$name", async ({ verify, phase: expected }) => {
    const agent = await startNode({ options: { verify } });
    await run(agent, burstable("hangs", { cpu: "2" }, quick));
    agent.runtime.failNext("stopContainer", "the shim does not answer", 100);
    await run(agent, critical("crit", { cpu: "1" }));
    await agent.advance(20_000);
    expect(phase(agent, "crit")).toBe(expected);
    if (!verify) return;
    expect(agent.pod("crit").status).toMatchObject({
      reason: "OutOfcpu",
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 2000, capacity: 2000",
    });
    expect(decisions(agent, "crit").map(({ outcome }) => outcome)).toContainEqual(
      expect.stringMatching(/^still does not fit after the evictions: /),
    );
  });

  test("admits a pod whose victims are gone", async () => {
    const agent = await startNode({ options: { verify: true } });
    await run(agent, burstable("bu", { cpu: "2" }), critical("crit", { cpu: "1" }));
    await agent.waitFor(() => phase(agent, "crit") === "Running");
  });
});

test("another strategy of the rc file chooses other victims, and explain names it", async () => {
  const agent = await startNode({ options: { victims: "lowest-priority-first" } });
  await run(
    agent,
    burstable("cheap", { cpu: "1" }, { spec: { priority: 5 } }),
    bestEffort("dear", { spec: { priority: 10 } }),
    guaranteed("cheapest", { cpu: "1", memory: "1Mi" }, { spec: { priority: 1 } }),
  );
  await run(agent, critical("crit", { cpu: "500m" }));
  await agent.waitFor(() => phase(agent, "crit") === "Running");
  expect(["cheap", "dear", "cheapest"].map((name) => phase(agent, name))).toEqual(["Running", "Running", "Failed"]);
  expect(decisions(agent, "cheapest")[0]).toMatchObject({ strategy: "lowest-priority-first" });
});

describe("a storm", () => {
  test("a thousand pods at once on a full node: each is rejected with its reason, and those that run are left alone", async () => {
    const agent = await startNode();
    await run(agent, burstable("full", { cpu: "2" }));
    const names = Array.from({ length: 1000 }, (_, i) => `storm-${String(i).padStart(4, "0")}`);
    const storm = names.map(
      (name, i) =>
        `---\n${JSON.stringify(i % 2 === 0 ? burstable(name, { cpu: "1m" }) : burstable(name, { cpu: "100m" }))}`,
    );
    await agent.apply(storm.join("\n"));
    await agent.advance(60_000);
    const said = agent.api
      .pods()
      .map(({ metadata, status }) => `${metadata.name} ${status?.reason}: ${status?.message}`);
    const text = (i: number): string =>
      `OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: ${i % 2 === 0 ? 1 : 100}, used: 2000, capacity: 2000`;
    expect(said.slice(1)).toEqual(names.map((name, i) => `${name} ${text(i)}`));
    expect(phase(agent, "full")).toBe("Running");
  }, 60_000);

  test("of critical pods: first come, first served, and none displaces another one", async () => {
    const agent = await startNode();
    await run(agent, burstable("full", { cpu: "2" }, quick));
    await agent.apply(
      Array.from({ length: 50 }, (_, i) => `---\n${JSON.stringify(critical(`crit-${i}`, { cpu: "500m" }))}`).join("\n"),
    );
    await agent.advance(60_000);
    const phases = Array.from({ length: 50 }, (_, i) => phase(agent, `crit-${i}`));
    expect(phases).toEqual([...Array(4).fill("Running"), ...Array(46).fill("Failed")]);
  });
});
