import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { startAgent } from "../../../src/agent/agent.js";
import { TestNode } from "../../agent/node.js";

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
