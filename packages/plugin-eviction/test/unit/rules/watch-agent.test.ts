/** The watch in a whole agent: memory falls between two rounds. */
import { describe, expect, test } from "@jest/globals";
import { bytes, events, phase, run, startNode } from "../node.js";
import { memory, pod, statisticsOf } from "../pods.js";
import { threePods } from "../three-pods.js";

describe("memory falls between two rounds", () => {
  test.each([
    { name: "watch: 100ms", options: { watch: "100ms" }, within: 1_200 },
    {
      name: "kernelMemcgNotification, which is a watch here",
      options: { kernelMemcgNotification: true },
      within: 1_300,
    },
  ])("$name: the pod goes at once", async ({ options, within }) => {
    const { agent, reported } = await threePods({ options });
    await agent.advance(1_500);
    reported.set(memory("50Mi"));
    await agent.advance(within);
    expect(events(agent, "hungry").some((line) => line.startsWith("Warning Evicted"))).toBe(true);
  });

  test("the memory of all pods is watched too", async () => {
    const { agent, reported } = await threePods({ options: { watch: "100ms" } });
    await agent.advance(1_500);
    const pods = { availableBytes: bytes("48Mi"), workingSetBytes: bytes("2000Mi") };
    reported.set({
      systemContainers: [{ name: "pods", memory: { ...pods, time: new Date(agent.clock.now()).toISOString() } }],
    });
    await agent.advance(1_200);
    expect(events(agent, "hungry").some((line) => line.startsWith("Warning Evicted"))).toBe(true);
  });

  test("MemAvailable is watched where it is the source, whatever the provider reports", async () => {
    const { agent } = await threePods({ options: { watch: "100ms", memorySource: "mem-available" } });
    await agent.advance(1_500);
    agent.host.kernel.set("/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 51200 kB\n");
    await agent.advance(1_200);
    expect(events(agent, "hungry").some((line) => line.startsWith("Warning Evicted"))).toBe(true);
  });

  test("without a watch it waits for the next round", async () => {
    const { agent, reported } = await threePods();
    await agent.advance(1_500);
    reported.set(memory("50Mi"));
    await agent.advance(2_000);
    expect(phase(agent, "hungry")).toBe("Running");
    await agent.advance(10_000);
    expect(phase(agent, "hungry")).toBe("Failed");
  });

  test("a soft eviction under way hurries when a hard threshold is crossed, without waiting for a round", async () => {
    const slow = pod("slow", {}, { spec: { terminationGracePeriodSeconds: 600 } });
    const { agent, reported } = await startNode({
      options: {
        watch: "100ms",
        escalate: true,
        evictionSoft: { "memory.available": "1Gi" },
        evictionSoftGracePeriod: { "memory.available": "5s" },
        evictionMaxPodGracePeriod: 600,
      },
    });
    reported.pods = [statisticsOf(slow, { memory: bytes("2Gi") })];
    agent.runtime.script({ pod: "slow" }, (process) => process.onTerm(() => undefined));
    await run(agent, slow);
    reported.set(memory("500Mi"));
    await agent.waitFor(() => events(agent, "slow").some((line) => line.startsWith("Warning Evicted")), 60_000);
    // Just after a round, so that the next one is far.
    await agent.advance(1_000);
    reported.set(memory("50Mi"));
    await agent.advance(3_000);
    expect(agent.runtime.running("slow")).toHaveLength(0);
  });
});
