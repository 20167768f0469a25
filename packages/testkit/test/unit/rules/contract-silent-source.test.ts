/** Pods run from before a restart while their source is silent: no pod takes their place, and they are not evicted. */
import { definePlugin, type NodePlugin, type Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { plugin as preemption } from "../../../../plugin-preemption/src/plugin.js";
import { aContainer, aPod, startTestAgent, type TestAgent } from "../../../src/index.js";
import { LateSource } from "../contract/late-source.js";

interface Asked {
  readonly cpu?: string;
  readonly hostPort?: number;
  readonly priority?: number;
}

function pod(name: string, { cpu = "1", hostPort, priority }: Asked = {}): Pod {
  const main = aContainer({
    name: "main",
    resources: { requests: { cpu } },
    ...(hostPort === undefined ? {} : { ports: [{ containerPort: 80, hostPort, protocol: "TCP" }] }),
  });
  const made = aPod({ name, uid: name, containers: [main] });
  return { ...made, spec: { ...made.spec, ...(priority === undefined ? {} : { priority }) } };
}

/** A node of 4 cores and 3 pods, restarted while the source of `running` is down. */
async function restarted(
  running: Pod,
  before: (agent: TestAgent) => Promise<void> = async () => undefined,
  others: readonly NodePlugin[] = [],
) {
  const late = new LateSource("late");
  const other = new LateSource("other");
  late.pods = [running];
  other.pods = [];
  const agent = await startTestAgent({
    plugins: [preemption, ...others],
    sources: [late, other],
    node: { capacity: { cpu: "4", memory: "8Gi", pods: "3" } },
  });
  await agent.advance(5_000);
  expect(agent.pod(running.metadata.name).status?.phase).toBe("Running");
  await before(agent);
  await agent.restart(() => {
    late.pods = undefined;
  });
  await agent.advance(10_000);
  return { agent, late, other };
}

const outcome = (agent: TestAgent, name: string) => {
  const { phase, reason } = agent.pod(name).status ?? {};
  return reason === undefined ? phase : `${phase} ${reason}`;
};
const containers = async (agent: TestAgent) =>
  (await agent.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING").map(({ id }) => id);

test("no pod is admitted to its place; it is adopted when its source delivers it; its resources are free once the source leaves it out", async () => {
  const { agent, late, other } = await restarted(pod("old", { cpu: "3" }));
  const [id] = await containers(agent);
  other.speak([pod("big", { cpu: "2" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "big")).toBe("Failed OutOfcpu");
  other.speak([pod("small", { cpu: "1" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "small")).toBe("Running");

  late.speak([pod("old", { cpu: "3" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "old")).toBe("Running");
  expect(await containers(agent)).toContain(id);
  other.speak([pod("second", { cpu: "2" })]);
  await agent.advance(60_000);
  expect(outcome(agent, "second")).toBe("Failed OutOfcpu");

  late.speak([]);
  await agent.advance(60_000);
  other.speak([pod("third", { cpu: "2" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "third")).toBe("Running");
});

test("the source speaks and does not know it: it is stopped as an orphan, and holds its place until it is gone", async () => {
  const { agent, late, other } = await restarted(pod("old", { cpu: "3" }));
  late.speak([]);
  await agent.advance(60_000);
  expect(await containers(agent)).toEqual([]);
  other.speak([pod("big", { cpu: "4" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "big")).toBe("Running");
});

test("its host port and its place among the pods are its own", async () => {
  const { agent, other } = await restarted(pod("old", { hostPort: 8080 }));
  other.speak([pod("same-port", { hostPort: 8080 })]);
  await agent.advance(5_000);
  expect(outcome(agent, "same-port")).toBe("Failed NodePorts");
  other.speak([pod("a"), pod("b")]);
  await agent.advance(60_000);
  expect([outcome(agent, "a"), outcome(agent, "b")]).toEqual(["Running", "Running"]);
  other.speak([pod("a"), pod("b"), pod("c")]);
  await agent.advance(5_000);
  expect(outcome(agent, "c")).toBe("Failed OutOfpods");
});

test("it is no victim: a critical pod that fits only in its place is rejected, and it runs on", async () => {
  const { agent, other } = await restarted(pod("old", { cpu: "3", priority: 1 }));
  const before = await containers(agent);
  other.speak([pod("critical", { cpu: "2", priority: 2_000_000_000 })]);
  await agent.advance(60_000);
  expect(outcome(agent, "critical")).toContain("Failed");
  expect(await containers(agent)).toEqual(before);
});

test("a pod of an older agent, which noted nothing on its sandbox, counts as one pod", async () => {
  const { agent, other } = await restarted(pod("old", { cpu: "3" }), async ({ runtime }) => {
    for (const { annotations } of await runtime.listSandboxes()) {
      delete (annotations as Record<string, string>)["hooklet.dev/holds"];
    }
  });
  other.speak([pod("a"), pod("b"), pod("c")]);
  await agent.advance(5_000);
  const outcomes = ["a", "b", "c"].map((name) => outcome(agent, name));
  expect(outcomes.filter((one) => one === "Running")).toHaveLength(2);
  expect(outcomes).toContain("Failed OutOfpods");
});

test("its sandbox ends while no source has delivered it: it holds nothing any more", async () => {
  const { agent, other } = await restarted(pod("old", { cpu: "3" }));
  agent.runtime.loseSandbox("old");
  await agent.advance(5_000);
  other.speak([pod("big", { cpu: "4" })]);
  await agent.advance(5_000);
  expect(outcome(agent, "big")).toBe("Running");
});

test("its eviction is refused with the reason", async () => {
  const asked: Promise<unknown>[] = [];
  const refusal = (work: Promise<void>): Promise<unknown> =>
    work.then(
      () => "evicted",
      (error: unknown) => error,
    );
  const evictor = definePlugin({
    meta: { name: "evictor", api: 1 },
    start: (ctx) =>
      void ctx.hooks.podAdmit.tap(() => {
        const [awaited] = ctx.pods.awaited();
        if (awaited !== undefined)
          asked.push(refusal(ctx.pods.evict(awaited.metadata.uid, { reason: "Why", message: "why" })));
      }),
  });
  const { agent, other } = await restarted(pod("old"), undefined, [evictor]);
  other.speak([pod("next")]);
  await agent.advance(5_000);
  expect(await asked[0]).toMatchObject({
    code: "EVICTION_REFUSED",
    message: expect.stringContaining("default/old is not evicted: it runs from before the agent's start"),
  });
});
