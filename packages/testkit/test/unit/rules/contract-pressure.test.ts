/** Node pressure beside others who move pods: one arbiter, and a restart while the node is short. */
import { definePlugin, type NodePlugin, type Pod } from "@hooklet/core";
import type { NodeStatistics } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { plugin as eviction } from "../../../../plugin-eviction/src/plugin.js";
import { plugin as preemption } from "../../../../plugin-preemption/src/plugin.js";
import { aContainer, aPod, startTestAgent, type TestAgent, VirtualClock } from "../../../src/index.js";
import { LateSource } from "../contract/late-source.js";

const MIB = 1024 ** 2;
const CRITICAL = 2_000_000_000;

interface Asked {
  readonly cpu?: string;
  readonly priority?: number;
  /** Bytes in use. */
  readonly uses?: number;
}

function pod(name: string, { cpu, priority }: Asked = {}): Pod {
  const main = aContainer({ name: "main", resources: cpu === undefined ? {} : { requests: { cpu, memory: "10Mi" } } });
  const made = aPod({ name, uid: name, containers: [main] });
  return { ...made, spec: { ...made.spec, ...(priority === undefined ? {} : { priority }) } };
}

/** A node whose memory is what the test says; each pod uses as many mebibytes as the test sets. */
async function node(
  uses: Readonly<Record<string, number>>,
  parts: { readonly eviction?: object; readonly node?: object } = {},
) {
  const clock = new VirtualClock();
  const left = { mebibytes: 4096 };
  const statistics: NodePlugin = definePlugin({
    meta: { name: "statistics", api: 1 },
    start(ctx) {
      const memory = (bytes: number) => ({ time: new Date(clock.now()).toISOString(), workingSetBytes: bytes });
      ctx.node.provideStatistics({
        read: async () =>
          ({
            node: { memory: { ...memory((8192 - left.mebibytes) * MIB), availableBytes: left.mebibytes * MIB } },
            pods: Object.entries(uses).map(([name, used]) => ({
              podRef: { name, namespace: "default", uid: name },
              containers: [],
              memory: memory(used * MIB),
            })),
          }) as unknown as NodeStatistics,
      });
    },
  });
  const [source, late] = [new LateSource("source"), new LateSource("late")];
  source.pods = [];
  late.pods = [];
  const agent = await startTestAgent({
    clock,
    plugins: [statistics, preemption, [eviction, parts.eviction ?? {}]],
    sources: [source, late],
    node: { capacity: { cpu: "4", memory: "8Gi" }, evictionHard: { "memory.available": "100Mi" }, ...parts.node },
  });
  return { agent, left, source, late };
}

const outcome = (agent: TestAgent, name: string) => {
  const { phase, reason } = agent.pod(name).status ?? {};
  return reason === undefined ? phase : `${phase} ${reason}`;
};
const outcomes = (agent: TestAgent, ...names: readonly string[]) =>
  names.map((name) => outcome(agent, name)).join(", ");
const evicted = (agent: TestAgent) =>
  agent
    .events()
    .flatMap(({ reason, involvedObject }) =>
      reason === "Evicted" || reason === "Preempting" ? [`${involvedObject.name} ${reason}`] : [],
    );

describe("one arbiter for pressure and for critical pods", () => {
  const both = [pod("victim", { cpu: "2", priority: 1 }), pod("other", { cpu: "2", priority: 2 })];
  const critical = pod("critical", { cpu: "2", priority: CRITICAL });

  test("a victim of both is evicted once, for the first one, and both get what they wanted", async () => {
    const { agent, left, source } = await node({ victim: 1000, other: 1 });
    // It takes its second, so that the critical pod comes meanwhile.
    agent.runtime.script({ pod: "victim" }, (process) => process.onTerm(() => undefined));
    source.speak(both);
    await agent.advance(2_000);
    left.mebibytes = 50;
    await agent.waitFor(() => evicted(agent).length > 0, 20_000);
    source.speak([...both, critical]);
    left.mebibytes = 4096;
    await agent.advance(60_000);
    expect(outcomes(agent, "victim", "other", "critical")).toBe("Failed Evicted, Running, Running");
    expect(evicted(agent)).toEqual(["victim Evicted"]);
  });
});

describe("for any events, in any order", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const pods = names.map((name, index) => pod(name, { cpu: "500m", priority: index % 3 }));
  /** What happens, and after how many seconds the next thing does. */
  const moment = fc.tuple(fc.constantFrom("short", "calm", "critical", "critical"), fc.integer({ min: 0, max: 25 }));

  test("no pod is chosen twice, and no critical pod goes for pressure", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 2, maxLength: 8 }), async (story) => {
        const { agent, left, source } = await node(Object.fromEntries(names.map((name, index) => [name, index + 1])));
        try {
          // Half of them take all the time that they have.
          for (const name of names.slice(4)) agent.runtime.script({ pod: name }, (one) => one.onTerm(() => undefined));
          const wanted = [...pods];
          source.speak(wanted);
          await agent.advance(2_000);
          for (const [index, [what, seconds]] of story.entries()) {
            if (what === "critical") wanted.push(pod(`critical${index}`, { cpu: "500m", priority: CRITICAL }));
            else left.mebibytes = what === "short" ? 50 : 4096;
            source.speak([...wanted]);
            await agent.advance(seconds * 1_000);
          }
          await agent.advance(120_000);
          const chosen = agent.events().filter(({ reason }) => reason === "Evicted" || reason === "Preempting");
          const warned = chosen.filter(
            ({ type, message }) => type === "Warning" && !message?.startsWith("The node had"),
          );
          const victims = warned.map(({ involvedObject }) => involvedObject.name);
          expect(victims).toEqual([...new Set(victims)]);
          expect(victims.filter((name) => name?.startsWith("critical"))).toEqual([]);
        } finally {
          await agent.stop();
        }
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});

describe("an agent that comes back to a node short of memory, whose source speaks late", () => {
  const plain = ["a", "b", "c"].map((name) => pod(name));

  async function comesBack(readmit: string) {
    const { agent, left, late } = await node({ a: 1, b: 1, c: 1 }, { eviction: { readmit, mode: "dry-run" } });
    late.speak(plain);
    await agent.advance(2_000);
    left.mebibytes = 50;
    await agent.restart(() => {
      late.pods = undefined;
    });
    // The first round has seen the pressure.
    await agent.advance(12_000);
    late.speak([...plain, pod("new")]);
    await agent.advance(5_000);
    return agent;
  }

  test("readmit: keep-running leaves its pods alone; new ones are turned away", async () => {
    const agent = await comesBack("keep-running");
    expect(outcomes(agent, "a", "b", "c", "new")).toBe("Running, Running, Running, Failed Evicted");
  });

  test("readmit: check turns them away, as the kubelet does", async () => {
    const agent = await comesBack("check");
    expect(outcomes(agent, "a", "b", "c", "new")).toBe(Array(4).fill("Failed Evicted").join(", "));
  });
});
