import { definePlugin, type Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent } from "../../src/index.js";

const change = (pod: Pod): void => {
  (pod.metadata as { name: string }).name = "mine";
};

test("every pod that a plugin is given is frozen, with all that it holds", async () => {
  const seen: Pod[] = [];
  const plugin = definePlugin({
    meta: { name: "grabber", api: 1 },
    start: (ctx) => {
      ctx.hooks.podAdmit.tap((_, { pod, otherPods }) => void seen.push(pod, ...otherPods));
      ctx.hooks.containerStart.tap((_, { pod }) => void seen.push(pod));
      ctx.hooks.podTerminate.tap(({ pod }) => void seen.push(pod));
      ctx.pods.watch((uid, pod) => {
        if (pod !== undefined) seen.push(pod, ...ctx.pods.list(), ctx.pods.get(uid) as Pod, ...ctx.pods.active());
      });
      return { open: ({ pods }) => void seen.push(...pods) };
    },
  });
  const agent = await startTestAgent({ plugins: [plugin], pods: [aPod({ name: "early" })] });
  await agent.apply(aPod({ name: "web" }));
  await agent.advance(5_000);
  await agent.delete("web");
  await agent.advance(40_000);
  expect(seen.length).toBeGreaterThan(10);
  for (const pod of seen) {
    expect(() => change(pod)).toThrow(TypeError);
    expect(Object.isFrozen(pod.spec.containers[0])).toBe(true);
    if (pod.status !== undefined) expect(Object.isFrozen(pod.status.conditions)).toBe(true);
  }
});
