/** Coarse limits: `pnpm bench pods` has the figures. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { aPod, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `p${from + at}`);

async function bringUp(agent: TestAgent, pods: readonly string[]): Promise<void> {
  for (const name of pods) await agent.apply(aPod({ name }));
  await agent.waitFor(() => pods.every((name) => agent.pod(name).status?.phase === "Running"));
}

test("a pod holds less than 40 KiB of heap, in an agent and in the simulated node below it", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const agent = await startTestAgent();
  await bringUp(agent, names(0, 20));
  const before = used();
  await bringUp(agent, names(20, 100));
  const kib = (used() - before) / 1024 / 80;
  expect(kib).toBeLessThan(40);
});
