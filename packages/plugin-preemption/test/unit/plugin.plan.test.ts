import type { Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { type Agent, phase, run, startNode } from "./node.js";
import { burstable, guaranteed } from "./pods.js";

async function full(): Promise<Agent> {
  const agent = await startNode();
  await run(agent, guaranteed("gu", { cpu: "1", memory: "1Gi" }), burstable("bu", { cpu: "1" }));
  return agent;
}

const plan = (agent: Agent, pod: Pod, given: Record<string, string> = {}) =>
  agent.api.plan("preemption", { manifest: JSON.stringify(pod), arguments: given });

test.each([
  {
    name: "an ordinary pod",
    priority: 0,
    cpu: "1",
    given: {},
    outcome: /^would be rejected: Node didn't have enough resource: cpu.* It is not critical, so no pod is evicted$/,
  },
  {
    name: "the same pod as a static one",
    priority: 0,
    cpu: "1",
    given: { static: "true" },
    outcome: /^would evict default\/bu to free \[\(res: cpu, q: 1000\), \]$/,
  },
  {
    name: "a critical pod",
    priority: 2_000_000_000,
    cpu: "2",
    given: {},
    outcome: /^would evict default\/bu, default\/gu to free/,
  },
  {
    name: "a critical pod that is too great",
    priority: 2_000_000_000,
    cpu: "3",
    given: {},
    outcome: /^would be rejected, and no pod evicted: no set of running pods found/,
  },
])("plan shows the outcome for $name, and touches no pod", async ({ priority, cpu, given, outcome }) => {
  const agent = await full();
  const [decision, ...others] = await plan(
    agent,
    burstable("new", { cpu }, { spec: { priority } }),
    given as Record<string, string>,
  );
  expect(others).toEqual([]);
  expect(decision?.outcome).toMatch(outcome);
  await agent.advance(60_000);
  expect([phase(agent, "gu"), phase(agent, "bu")]).toEqual(["Running", "Running"]);
});

test("a pod that fits would be admitted", async () => {
  const [decision] = await plan(await full(), burstable("new", { memory: "1Mi" }));
  expect(decision?.outcome).toBe("would be admitted; no pod is evicted");
});

test("without a pod, or with an unknown argument, plan names what it expects", async () => {
  const agent = await full();
  await expect(agent.api.plan("preemption", { arguments: {} })).rejects.toThrow("expected -f POD.yaml, found no pod");
  await expect(plan(agent, burstable("new", {}), { until: "70" })).rejects.toThrow("found --until");
});
