import { definePlugin } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod } from "../src/builders.js";
import { startTestPlugin } from "../src/start-test-plugin.js";
import { restartCounter } from "./fixtures/restart-counter.js";

test("a pod goes through the plugin's taps and runs with what they added", async () => {
  const plugin = await startTestPlugin({ plugin: restartCounter });
  const pod = aPod({ containers: [{ name: "a" }, { name: "b" }] });
  expect((await plugin.run(pod)).admitted).toBe(true);
  expect(plugin.runtime.configOf("web", "a").envs).toEqual([{ key: "STARTS", value: "0" }]);
  expect(plugin.runtime.configOf("web", "b").envs).toEqual([{ key: "STARTS", value: "1" }]);
  expect(plugin.events).toMatchObject([
    { pod: "web", container: "a", reason: "Counted" },
    { pod: "web", container: "b", reason: "Counted" },
  ]);
  expect(await plugin.view("starts")).toEqual([{ uid: pod.metadata.uid, starts: 2 }]);
  await plugin.terminate(pod);
  expect(await plugin.view("starts")).toEqual([]);
  expect(plugin.runtime.running("web")).toEqual([]);
  await plugin.stop();
});

test("a rejected pod is not run", async () => {
  const plugin = await startTestPlugin({ plugin: restartCounter });
  const verdict = await plugin.run(aPod({ labels: { tier: "forbidden" } }));
  expect(verdict.rejections).toMatchObject([{ reason: "Forbidden", plugin: "restart-counter" }]);
  expect(plugin.runtime.calls.runSandbox).toBe(0);
  await plugin.stop();
});

test("what a plugin saved is there after its restart, beside the same pods", async () => {
  const first = await startTestPlugin({ plugin: restartCounter });
  const pod = aPod();
  await first.run(pod);
  const second = await first.restart();
  expect(await second.view("starts")).toEqual([{ uid: pod.metadata.uid, starts: 1 }]);
  expect(second.pods.list()).toMatchObject([pod]);
  await second.stop();
});

test("plugins see pods as the agent shows them: with the status of a pod that runs", async () => {
  const seen: unknown[] = [];
  const looker = definePlugin({
    meta: { name: "looker", api: 1 },
    options: (z) => z.object({}),
    start({ hooks, pods }) {
      hooks.tick(10).tap(() => {
        for (const { status } of pods.list()) seen.push(structuredClone(status));
        const [pod] = pods.list();
        if (pod !== undefined) pods.setContainerReady({ podUid: pod.metadata.uid, container: "main" }, false);
      });
    },
  });
  const plugin = await startTestPlugin({ plugin: looker, pods: [aPod()] });
  await plugin.advance(25_000);
  const conditions = (status: string) =>
    expect.arrayContaining([
      expect.objectContaining({ type: "Ready", status }),
      expect.objectContaining({ type: "Initialized", status: "True" }),
    ]);
  expect(seen).toMatchObject([
    {
      phase: "Running",
      qosClass: "BestEffort",
      conditions: conditions("True"),
      containerStatuses: [{ name: "main", ready: true, restartCount: 0 }],
    },
    {
      phase: "Running",
      conditions: conditions("False"),
      containerStatuses: [{ ready: false, state: { running: {} } }],
    },
  ]);
  await plugin.stop();
});

test("a tap that throws is found in errors, with the plugin's name", async () => {
  const broken = definePlugin({
    meta: { name: "broken", api: 1 },
    options: (z) => z.object({}),
    start(context) {
      context.hooks.tick(10).tap(() => {
        throw new Error("bad tick");
      });
    },
  });
  const plugin = await startTestPlugin({ plugin: broken });
  await plugin.advance(25_000);
  expect(plugin.errors).toHaveLength(2);
  expect(plugin.errors[0]).toMatchObject({ plugin: "broken", hook: "tick 10s" });
  await plugin.stop();
});

test("a tap that changes the pod it is given fails: pods are frozen", async () => {
  const meddler = definePlugin({
    meta: { name: "meddler", api: 1 },
    options: (z) => z.object({}),
    start(context) {
      context.hooks.containerStart.tap((_, { pod }) => {
        pod.spec.containers.pop();
      });
    },
  });
  const plugin = await startTestPlugin({ plugin: meddler });
  await expect(plugin.run(aPod())).rejects.toThrow(/meddler.*not extensible|meddler.*delete|meddler.*read only/);
  await plugin.stop();
});

test("an eviction that a plugin asks for is done and written down", async () => {
  const evictor = definePlugin({
    meta: { name: "evictor", api: 1 },
    options: (z) => z.object({}),
    start(context) {
      context.hooks.tick(10).tap(async () => {
        for (const pod of context.pods.active()) {
          await context.pods.evict(pod.metadata.uid, { reason: "Evicted", message: "no room" });
        }
      });
    },
  });
  const plugin = await startTestPlugin({ plugin: evictor });
  const pod = aPod();
  await plugin.run(pod);
  await plugin.advance(10_000);
  expect(plugin.requests).toMatchObject([{ kind: "evict", uid: pod.metadata.uid, eviction: { reason: "Evicted" } }]);
  expect(plugin.pods.list()).toEqual([]);
  await plugin.stop();
});
