/** Changes of pods that run: metadata, a spec that can be applied in place, one that cannot; and many at once. */
import { type ContainerStatus, definePlugin, type Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent, type TestAgent } from "../../../src/index.js";

async function containersOf(agent: TestAgent): Promise<readonly string[]> {
  return (await agent.runtime.listContainers()).map(({ id }: Pick<ContainerStatus, "id">) => id);
}

test("other labels reach the plugins and leave the containers running", async () => {
  const seen: (string | undefined)[] = [];
  const plugin = definePlugin({
    meta: { name: "watcher", api: 1 },
    start: (ctx) => void ctx.pods.watch((_, pod) => seen.push(pod === undefined ? "gone" : pod.metadata.labels?.app)),
  });
  const agent = await startTestAgent({ plugins: [plugin], pods: [aPod({ labels: { app: "a" } })] });
  await agent.advance(5_000);
  const before = await containersOf(agent);
  await agent.apply(aPod({ labels: { app: "b" } }));
  await agent.advance(5_000);
  expect(await containersOf(agent)).toEqual(before);
  expect(agent.pod("web").metadata.labels).toEqual({ app: "b" });
  expect(seen.at(-1)).toBe("b");
  await agent.delete("web");
  await agent.advance(60_000);
  expect(seen.at(-1)).toBe("gone");
});

test.each([
  { name: "is applied in place by the plugin that takes it", takes: true },
  { name: "replaces the pod when no plugin takes it", takes: false },
])("another spec through the control socket $name", async ({ takes }) => {
  const asked: (readonly [before: Pod, after: Pod])[] = [];
  const plugin = definePlugin({
    meta: { name: "resizer", api: 1 },
    start: (ctx) =>
      ctx.pods.onUpdate((before, after) => {
        asked.push([before, after]);
        return takes;
      }),
  });
  const agent = await startTestAgent({ plugins: [plugin] });
  const manifest = (cpu: string): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "app:1", resources: { requests: { cpu } } }],
      },
    });
  await agent.api.apply(manifest("1"), "test");
  await agent.advance(5_000);
  const { uid } = agent.pod("web").metadata;
  const before = await containersOf(agent);
  expect(await agent.api.apply(manifest("2"), "test")).toEqual([{ subject: "pod/web", action: "configured" }]);
  await agent.advance(60_000);
  expect(asked).toHaveLength(1);
  expect(agent.pod("web").metadata.uid === uid).toBe(takes);
  expect((await containersOf(agent)).join() === before.join()).toBe(takes);
  expect(agent.pod("web").spec.containers[0]?.resources?.requests).toEqual({ cpu: "2" });
});

test("every decision reaches its watchers, however many there are", async () => {
  let decide = (_: number): void => undefined;
  const plugin = definePlugin({
    meta: { name: "decider", api: 1 },
    start: (ctx) => {
      decide = (i) => ctx.decisions.record({ strategy: "s", subject: `x/${i}`, considered: [], outcome: "" });
    },
  });
  const agent = await startTestAgent({ plugins: [plugin] });
  const seen: string[] = [];
  const stop = agent.api.watchDecisions(({ subject }) => void seen.push(subject));
  for (let i = 0; i < 6_000; i++) decide(i);
  stop();
  decide(6_000);
  expect(seen).toEqual(Array.from({ length: 6_000 }, (_, i) => `x/${i}`));
});
