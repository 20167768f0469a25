import type { StrategyTable } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import type { RankingStrategy } from "../../src/index.js";
import { events, phase, phases, startNode } from "./node.js";
import { disk, memory } from "./pods.js";
import { message, threePods } from "./three-pods.js";

describe("options beyond the kubelet's", () => {
  test("a dry run reports and kills no pod", async () => {
    const { agent, reported } = await threePods({ options: { mode: "dry-run" } });
    reported.set({ ...memory("50Mi"), ...disk("5Gi") });
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
    expect(events(agent, "hungry")).toContain(`Normal EvictionDryRun: Would be evicted: ${message}`);
    expect(reported.reclaimed).toEqual([]);
  });

  test("a dry run that meets the same shortage again and again reports it once, and again after five minutes", async () => {
    const { agent, reported } = await threePods({ options: { mode: "dry-run" } });
    reported.set(memory("50Mi"));
    await agent.advance(120_000);
    const recorded = async () => (await agent.api.explain("pod", "hungry")).length;
    expect(await recorded()).toBe(1);
    await agent.advance(240_000);
    expect(await recorded()).toBe(2);
  });

  test("a strategy with an unusable result is reported, and the kubelet's order is used", async () => {
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

  test("lists the victims for a signal, and changes nothing", async () => {
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
    expect((await plan(agent, {}))[0]?.outcome).toBe("no threshold is crossed; no pod would be evicted");
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
