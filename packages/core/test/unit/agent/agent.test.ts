import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { startAgent } from "../../../src/agent/agent.js";
import type { AgentApi } from "../../../src/agent/api.js";
import { TestNode } from "../../agent/node.js";

const webManifest = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: main, image: "app:1", command: [sleep, "600"] }] }
`;

test("a source gets a pod's status when it has changed, and not after each step", async () => {
  const node = new TestNode();
  const recorded: Pod[] = [];
  const options = node.options();
  const [source] = options.sources ?? [];
  if (source === undefined) throw new Error("no source");
  const listening = { ...source, status: async ({ pod }: { readonly pod: Pod }) => void recorded.push(pod) };
  const starting = startAgent({ ...options, sources: [listening] });
  await node.clock.settle();
  const agent = await starting;
  const manifest = `apiVersion: v1
kind: Pod
metadata: { name: job }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: "app:1", command: [sleep, "5"] }]
`;
  await node.manifest("job.yaml", manifest);
  await node.clock.advance(60_000);
  const [last] = recorded.slice(-1);
  expect(last?.status?.phase).toBe("Succeeded");
  // The last one may be reported again, as the final one.
  const texts = recorded.map(({ status, metadata }) => JSON.stringify({ status, metadata }));
  expect(texts.slice(0, -1)).toEqual([...new Set(texts)].slice(0, texts.length - 1));
  expect(recorded.map(({ status }) => status?.phase)).toEqual(
    expect.arrayContaining(["Pending", "Running", "Succeeded"]),
  );
  await agent.stop();
});

test("the servers are prepared before the pods are taken over, and serve once the API lists the pods", async () => {
  const node = new TestNode();
  await node.manifest("web.yaml", webManifest);
  const listed: string[] = [];
  const say = (what: string, api: AgentApi): void =>
    void listed.push(`${what}: ${api.pods().map(({ metadata }) => metadata.name)}`);
  const starting = startAgent({
    ...node.options(),
    prepareServing: async (api) => {
      say("prepares", api);
      return () => say("serves", api);
    },
  });
  await node.clock.settle();
  const agent = await starting;
  expect(listed).toEqual(["prepares: ", `serves: ${agent.api.pods()[0]?.metadata.name}`]);
  await agent.stop();
});

test("servers that cannot be prepared end the start, and nothing is left of it", async () => {
  const node = new TestNode();
  const failing = startAgent({ ...node.options(), prepareServing: () => Promise.reject(new Error("no client")) });
  failing.catch(() => undefined);
  await node.clock.settle();
  await expect(failing).rejects.toThrow("no client");
  const again = startAgent(node.options());
  await node.clock.settle();
  await (await again).stop();
});
