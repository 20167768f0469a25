/** An agent that starts on running containers asks for each once, and still takes them over as they are. */
import { definePlugin } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent, type TestAgent } from "../../../src/index.js";

const PODS = 40;
const names = Array.from({ length: PODS }, (_, i) => `web-${i}`);

/** A node of many pods, all running; `during`: what happens while the plugins of the next agent are opened. */
async function node(during: (agent: TestAgent) => void = () => undefined): Promise<TestAgent> {
  let lives = 0;
  const plugin = definePlugin({
    meta: { name: "opened", api: 1 },
    start: () => ({
      open: () => {
        lives += 1;
        if (lives === 2) during(agent);
      },
    }),
  });
  const agent: TestAgent = await startTestAgent({ plugins: [plugin], pods: names.map((name) => aPod({ name })) });
  await agent.advance(30_000);
  expect(agent.api.pods().map(({ status }) => status?.phase)).toEqual(Array(PODS).fill("Running"));
  return agent;
}

test("each container is asked for once, some at a time", async () => {
  const agent = await node();
  const { runtime } = agent;
  const ask = runtime.containerStatus.bind(runtime);
  let open = 0;
  let most = 0;
  runtime.containerStatus = async (id) => {
    most = Math.max(most, ++open);
    try {
      return await ask(id);
    } finally {
      open--;
    }
  };
  runtime.delay("containerStatus", 10);
  const before = runtime.calls.containerStatus;
  await agent.restart();
  expect(runtime.calls.containerStatus - before).toBe(PODS);
  expect(most).toBe(16);
  expect(agent.api.pods().map(({ status }) => status?.phase)).toEqual(Array(PODS).fill("Running"));
});

test("a container that ends while plugins are opened is taken over as one that has ended", async () => {
  const agent = await node(({ runtime }) => runtime.exit("web-7", "main", 3));
  await agent.restart();
  await agent.advance(30_000);
  expect(agent.pod("web-7").status?.containerStatuses?.[0]).toMatchObject({
    restartCount: 1,
    lastState: { terminated: { exitCode: 3 } },
  });
});
