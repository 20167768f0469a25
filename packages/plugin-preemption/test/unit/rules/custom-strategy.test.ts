import type { StrategyEntry } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import type { VictimsStrategy } from "../../../src/index.js";
import { decisions, phase, run, startNode } from "../node.js";
import { burstable, critical } from "../pods.js";

// A path that the compiler does not follow: examples are plain JavaScript.
const file = new URL("../../../../../examples/strategies/expendable-first.mjs", import.meta.url).pathname;

test("the example takes the pods of its label, the youngest first, and explain has the reason", async () => {
  const { default: example } = (await import(file)) as { default: StrategyEntry<VictimsStrategy> };
  const agent = await startNode({
    strategies: { example },
    options: { victims: { use: "example", options: { label: "spare" } } },
  });
  const spare = { labels: { spare: "true" } };
  await run(agent, burstable("spare-old", { cpu: "700m" }, spare));
  await run(agent, burstable("spare-young", { cpu: "700m" }, spare));
  await run(agent, burstable("dear", { cpu: "600m" }));
  await run(agent, critical("crit", { cpu: "600m" }));
  await agent.waitFor(() => phase(agent, "crit") === "Running");
  expect(["spare-old", "spare-young", "dear"].map((name) => phase(agent, name))).toEqual([
    "Running",
    "Failed",
    "Running",
  ]);
  const [decision] = decisions(agent, "spare-young");
  expect(decision?.strategy).toBe("example");
  expect(decision?.considered[0]).toEqual({
    candidate: "pod/default/spare-young",
    verdict: "victim",
    why: "Burstable; gives cpu 700 of 600; distance 0; labelled spare",
  });
});

test("a strategy that frees too little kills no pod, and the pod's message names it", async () => {
  const half: StrategyEntry<VictimsStrategy> = {
    description: "the oldest pod",
    options: (z) => z.strictObject({}),
    create:
      () =>
      ({ candidates }) =>
        candidates.slice(0, 1),
  };
  const agent = await startNode({ strategies: { half }, options: { victims: "half" } });
  await run(agent, burstable("a", { cpu: "1" }), burstable("b", { cpu: "1" }), critical("crit", { cpu: "2" }));
  expect(["a", "b", "crit"].map((name) => phase(agent, name))).toEqual(["Running", "Running", "Failed"]);
  expect(agent.pod("crit").status).toMatchObject({
    reason: "UnexpectedAdmissionError",
    message: expect.stringContaining('strategy "half" frees too little: [(res: cpu, q: 1000), ] is still missing.'),
  });
  expect(agent.log).toContainEqual(expect.objectContaining({ level: 50, strategy: "half" }));
});

test("a strategy may decline: no pod is evicted, and its reason is in the pod's message and recorded", async () => {
  const polite: StrategyEntry<VictimsStrategy> = {
    description: "evicts no pod before noon",
    options: (z) => z.strictObject({}),
    create: () => () => ({ decline: "it is not noon yet" }),
  };
  const agent = await startNode({ strategies: { polite }, options: { victims: "polite" } });
  await run(agent, burstable("a", { cpu: "1" }), burstable("b", { cpu: "1" }), critical("crit", { cpu: "2" }));
  expect(["a", "b", "crit"].map((name) => phase(agent, name))).toEqual(["Running", "Running", "Failed"]);
  const says = 'strategy "polite" evicts no pod: it is not noon yet';
  expect(agent.pod("crit").status).toMatchObject({ message: expect.stringContaining(says) });
  expect(JSON.stringify(decisions(agent, "crit"))).toContain("it is not noon yet");
  expect(agent.log).not.toContainEqual(expect.objectContaining({ strategy: "polite" }));
});
