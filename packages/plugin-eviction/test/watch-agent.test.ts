/** The watch in a whole agent: memory falls between two rounds. */
import { describe, expect, test } from "@jest/globals";
import { bytes, events, phase, run, startNode } from "./node.js";
import { memory, pod, statisticsOf } from "./pods.js";
import { threePods } from "./three-pods.js";

type Agent = Awaited<ReturnType<typeof threePods>>["agent"];

/** What the root cgroup of the machine (8 GiB, v2) says. */
function left(agent: Agent, available: string): void {
  const used = bytes("8Gi") - bytes(available);
  agent.host.kernel.set("/sys/fs/cgroup/memory.stat", `anon ${used}\nfile 0\ninactive_file 0\n`);
}

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
    left(agent, "4Gi");
    await agent.advance(1_500);
    left(agent, "50Mi");
    reported.set(memory("50Mi"));
    await agent.advance(within);
    expect(events(agent, "hungry").some((line) => line.startsWith("Warning Evicted"))).toBe(true);
  });

  test.each([
    { name: "where the provider of statistics says", says: "/team/kubepods", options: {} },
    {
      name: "where the option says, whatever the provider does",
      says: "/other",
      options: { podsCgroup: "/team/kubepods" },
    },
  ])("the memory of all pods is watched $name", async ({ says, options }) => {
    const { agent, reported } = await threePods({ options: { watch: "100ms", ...options } });
    reported.podsCgroup = says;
    const { kernel } = agent.host;
    left(agent, "4Gi");
    const folder = "/sys/fs/cgroup/team/kubepods";
    kernel.addFolder(folder);
    kernel.set(`${folder}/memory.max`, `${bytes("2Gi")}\n`);
    const used = (amount: string) => kernel.set(`${folder}/memory.current`, `${bytes(amount)}\n`);
    used("1Gi");
    await agent.advance(1_500);
    used("2000Mi");
    const pods = { availableBytes: bytes("48Mi"), workingSetBytes: bytes("2000Mi") };
    reported.set({
      systemContainers: [{ name: "pods", memory: { ...pods, time: new Date(agent.clock.now()).toISOString() } }],
    });
    await agent.advance(1_200);
    expect(events(agent, "hungry").some((line) => line.startsWith("Warning Evicted"))).toBe(true);
  });

  test("without a watch it waits for the next round", async () => {
    const { agent, reported } = await threePods();
    left(agent, "4Gi");
    await agent.advance(1_500);
    left(agent, "50Mi");
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
    left(agent, "500Mi");
    reported.set(memory("500Mi"));
    await agent.waitFor(() => events(agent, "slow").some((line) => line.startsWith("Warning Evicted")), 60_000);
    // Just after a round, so that the next one is far.
    await agent.advance(1_000);
    left(agent, "50Mi");
    reported.set(memory("50Mi"));
    await agent.advance(3_000);
    expect(agent.runtime.running("slow")).toHaveLength(0);
  });
});
