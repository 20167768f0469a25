import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeChecked } from "@hooklet/linux";
import { expect, test } from "@jest/globals";
import { type Agent, bytes, events, phases, run, startNode } from "../node.js";
import { memory, pod, statisticsOf } from "../pods.js";

const deaf = pod("deaf", { memory: "100Mi" }, { spec: { terminationGracePeriodSeconds: 2 } });
const next = pod("next", { memory: "100Mi" });

test.each([
  { name: "by rounds alone", options: {} },
  { name: "with the watch, which asks for rounds at once", options: { watch: "100ms" } },
])(
  "an agent that goes between the decision and the end of its victim takes no second one, $name",
  async ({ options }) => {
    const { agent, reported } = await startNode({ options });
    agent.host.kernel.set(
      "/sys/fs/cgroup/memory.stat",
      `anon ${bytes("8Gi") - bytes("50Mi")}\nfile 0\ninactive_file 0\n`,
    );
    reported.pods = [statisticsOf(deaf, { memory: bytes("2Gi") }), statisticsOf(next, { memory: bytes("1Gi") })];
    await run(agent, deaf, next);
    // The runtime does not get it killed before the next agent's first round.
    agent.runtime.failNext("stopContainer", "the container is stuck", 2);
    reported.set(memory("50Mi"));
    await agent.waitFor(() => events(agent, "deaf").some((line) => line.startsWith("Warning Evicted")), 20_000);
    // What the victim held is free only when it is gone; until then `next` is the greater eater.
    reported.pods = [statisticsOf(deaf, { memory: 0 }), statisticsOf(next, { memory: bytes("1Gi") })];
    await agent.restart();
    await agent.waitFor(() => agent.runtime.running("deaf").length === 0, 40_000);
    reported.calm();
    await agent.advance(60_000);
    expect(phases(agent, "deaf", "next")).toBe("Failed Running");
    expect(agent.pod("deaf").status?.reason).toBe("Evicted");
  },
);

test("a decision that never reached its victim is dropped: the first round decides again", async () => {
  const { agent, reported } = await startNode();
  reported.pods = [statisticsOf(deaf, { memory: bytes("2Gi") }), statisticsOf(next, { memory: bytes("1Gi") })];
  await run(agent, deaf, next);
  // As it is on disk when the agent dies between that and the kill.
  await agent.restart(() => writePending(agent, next.metadata.uid));
  reported.set(memory("50Mi"));
  await agent.waitFor(() => phases(agent, "deaf", "next").includes("Failed"), 12_000);
  reported.calm();
  await agent.advance(60_000);
  expect(phases(agent, "deaf", "next")).toBe("Failed Running");
});

async function writePending({ rootDir }: Agent, uid: string): Promise<void> {
  const folder = join(rootDir, "state", "plugins", "_hooklet_plugin-eviction");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "pending.json"), encodeChecked({ pods: [uid] }));
}
