/** Stalls as a signal, in a whole agent: the kernel's totals grow while a pod makes others wait. */
import { describe, expect, test } from "@jest/globals";
import { bytes, condition, events, phase, phases, run, startNode } from "../node.js";
import { pod, statisticsOf } from "../pods.js";

const greedy = pod("greedy", { memory: "100Mi" });
const modest = pod("modest", { memory: "1Gi" });

async function node(options: Record<string, unknown>) {
  const { agent, reported } = await startNode({ options });
  reported.pods = [statisticsOf(greedy, { memory: bytes("700Mi") }), statisticsOf(modest, { memory: bytes("900Mi") })];
  await run(agent, greedy, modest);
  /** Microseconds that all stood still. */
  let total = 0;
  const stall = (resource: string) =>
    agent.host.kernel.set(
      `/proc/pressure/${resource}`,
      `some avg10=0.00 total=${total}\nfull avg10=0.00 total=${total}\n`,
    );
  /** Seconds of which so much (0..1) is stalled while `greedy` runs, nothing afterwards. */
  const pass = async (resource: string, seconds: number, share: number) => {
    for (let second = 0; second < seconds; second++) {
      if (agent.runtime.running("greedy").length > 0) total += share * 1_000_000;
      stall(resource);
      await agent.advance(1_000);
    }
  };
  return { agent, pass };
}

describe("psi.memory", () => {
  const psi = { psi: { memory: { full: "10%" } } };

  test("a tenth of the time is borne", async () => {
    const { agent, pass } = await node(psi);
    await pass("memory", 60, 0.1);
    expect(phases(agent, "greedy", "modest")).toBe("Running Running");
  });

  test("more costs one pod, ranked as for memory, with its own message, and no second one", async () => {
    const { agent, pass } = await node(psi);
    await pass("memory", 40, 0.25);
    expect(phase(agent, "greedy")).toBe("Failed");
    expect(agent.pod("greedy").status?.message).toMatch(
      /^The node was low on resource: memory\. Threshold: psi\.memory\.full above 10% of the time, found: 2\d(\.\d+)?%\. Container main was using 700Mi, request is 100Mi, has larger consumption of memory\. $/,
    );
    expect((await condition(agent, "MemoryPressure"))?.status).toBe("True");
    await pass("memory", 120, 0);
    expect(phases(agent, "greedy", "modest")).toBe("Failed Running");
  });

  test("a kernel without PSI gives no signal, and get eviction shows that", async () => {
    const { agent } = await node(psi);
    await agent.advance(60_000);
    expect(phases(agent, "greedy", "modest")).toBe("Running Running");
    const view = await agent.api.view("eviction");
    expect(JSON.stringify(view)).toContain('"signal":"psi.memory.full"');
    expect(JSON.stringify(view)).toContain("no signal");
  });
});

test("psi.io takes the pod that reads and writes most, and shows as DiskPressure", async () => {
  const { agent, pass } = await node({ psi: { io: { some: "50%", window: "20s" } } });
  const containers = await agent.runtime.listContainers();
  const { id } = containers.find(({ labels }) => labels["io.kubernetes.pod.name"] === "greedy") ?? {};
  const { kernel } = agent.host;
  let written = 0;
  const write = () => {
    written += 50_000_000;
    kernel.set("/proc/4711/cgroup", `0::/kubepods/pod1/${id}\n`);
    kernel.set("/proc/4711/io", `read_bytes: 0\nwrite_bytes: ${written}\n`);
  };
  for (let second = 0; second < 60 && phase(agent, "greedy") === "Running"; second++) {
    write();
    await pass("io", 1, 0.8);
  }
  expect(phases(agent, "greedy", "modest")).toBe("Failed Running");
  expect(agent.pod("greedy").status?.message).toMatch(
    /^The node was low on resource: io\. Threshold: psi\.io\.some above 50% of the time, found: /,
  );
  expect((await condition(agent, "DiskPressure"))?.status).toBe("True");
  expect(events(agent, "node1")).toContain("Warning EvictionThresholdMet: Attempting to reclaim io");
  const [decision] = await agent.api.explain("pod", "greedy");
  expect(decision?.considered[0]?.why).toMatch(/^uses [1-9]\S+\/s io; priority 0$/);
});

test.each([
  { name: "of the processor", psi: { cpu: { some: "10%" } } },
  { name: "without a share", psi: { memory: { window: "10s" } } },
  { name: "of more than all the time", psi: { memory: { full: "120%" } } },
  { name: "of nothing", psi: { memory: { full: "0%" } } },
  { name: "without a percent sign", psi: { memory: { full: "10" } } },
])("a threshold $name is refused", async ({ psi }) => {
  await expect(startNode({ options: { psi } })).rejects.toThrow("psi");
});
