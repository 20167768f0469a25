/** Rankings that are not built in, as the rc file brings them. */
import type { StrategyEntry } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import type { RankingInput, RankingStrategy } from "../../../src/index.js";
import { bytes, events, phase, phases, run, startNode } from "../node.js";
import { CRITICAL, memory, pod, statisticsOf } from "../pods.js";
import { threePods } from "../three-pods.js";

// A path that the compiler does not follow: examples are plain JavaScript.
const file = new URL("../../../../../examples/strategies/keep-databases.mjs", import.meta.url).pathname;

const entry = (strategy: RankingStrategy): StrategyEntry<RankingStrategy> => ({
  description: "of a test",
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

test("the example keeps the pods of its label to the last, and explain has the reason", async () => {
  const { default: example } = (await import(file)) as { default: StrategyEntry<RankingStrategy> };
  const { agent, reported } = await startNode({
    strategies: { example },
    options: { ranking: { use: "example", options: { label: "app", value: "postgres" } } },
  });
  const database = pod("database", { memory: "10Mi" }, { labels: { app: "postgres" } });
  const [big, web] = [pod("big", { memory: "4Gi" }), pod("web", { memory: "10Mi" })];
  reported.pods = [
    statisticsOf(database, { memory: bytes("5Gi") }),
    statisticsOf(big, { memory: bytes("2Gi") }),
    statisticsOf(web, { memory: bytes("20Mi") }),
  ];
  await run(agent, database, big, web);
  reported.set(memory("50Mi"));
  await agent.waitFor(() => phase(agent, "web") === "Failed", 20_000);
  await agent.waitFor(() => phase(agent, "big") === "Failed", 60_000);
  expect(phase(agent, "database")).toBe("Running");
  const [decision] = await agent.api.explain("pod", "web");
  expect(decision).toMatchObject({ strategy: "example" });
  expect(decision?.considered.at(-1)).toMatchObject({
    candidate: "pod/default/database",
    why: expect.stringContaining("labelled app=postgres"),
  });
});

test("it is given usage, request, priority and the signal; critical pods are not among them", async () => {
  const given: RankingInput[] = [];
  const spy = entry((input) => {
    given.push(input);
    return input.candidates;
  });
  const { agent, reported } = await startNode({ strategies: { spy }, options: { ranking: "spy" } });
  const ordinary = pod("ordinary", { memory: "100Mi" }, { spec: { priority: 7 } });
  const pods = [ordinary, pod("vital", {}, { spec: { priority: CRITICAL } }), pod("static", {}, { source: "file" })];
  reported.pods = pods.map((one) => statisticsOf(one, { memory: bytes("1Gi") }));
  await run(agent, ...pods);
  reported.set(memory("50Mi"));
  await agent.waitFor(() => phase(agent, "ordinary") === "Failed", 20_000);
  const [{ signal, resource, candidates } = { signal: "", resource: "", candidates: [] }] = given;
  expect({ signal, resource }).toEqual({ signal: "memory.available", resource: "memory" });
  expect(candidates.map(({ pod: _, uid, ...rest }) => rest)).toEqual([
    {
      name: "default/ordinary",
      priority: 7,
      known: true,
      usage: bytes("1Gi"),
      request: bytes("100Mi"),
      excess: bytes("924Mi"),
    },
  ]);
  await agent.advance(60_000);
  expect(phases(agent, "vital", "static")).toBe("Running Running");
});

test.each<{ name: string; strategy: RankingStrategy; says: string }>([
  {
    name: "names a critical pod",
    strategy: ({ candidates }) => [{ uid: "vital" }, ...candidates],
    says: 'ranking strategy "mine" named "vital", which may not go',
  },
  {
    name: "throws",
    strategy: () => {
      throw new Error("boom");
    },
    says: 'ranking strategy "mine" failed: boom',
  },
])(
  "one that $name costs no time and no wrong pod: the kubelet's order is used, and the node reports it",
  async (given) => {
    const { agent, reported } = await threePods({
      strategies: { mine: entry(given.strategy) },
      options: { ranking: "mine" },
    });
    reported.set(memory("50Mi"));
    await agent.waitFor(() => phase(agent, "hungry") === "Failed", 20_000);
    reported.calm();
    await agent.advance(60_000);
    expect(phases(agent, "hungry", "modest", "small")).toBe("Failed Running Running");
    expect(events(agent, "node1").filter((line) => line.startsWith("Warning EvictionRankingFailed"))).toEqual([
      `Warning EvictionRankingFailed: ${given.says}; the kubelet's order is used. Fix it, or choose another one for "ranking".`,
    ]);
    expect(agent.log).toContainEqual(expect.objectContaining({ level: 50, strategy: "mine" }));
  },
);
