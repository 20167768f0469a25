/** A plugin that cannot say yet whether a pod may run: that pod waits, and no other. */
import { definePlugin } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { aPod, startTestAgent } from "../../../src/index.js";

const waiting = { reason: "WaitingForIt", message: "it is not there yet", retryAfterSeconds: 5 };

function story() {
  const reported: string[] = [];
  const state = { there: false };
  const plugin = definePlugin({
    meta: { name: "patient", api: 1 },
    start(ctx) {
      ctx.hooks.podAdmit.tap({ name: "take" }, (verdict, { pod }) => {
        reported.push(`take ${pod.metadata.name}`);
        verdict.undo(() => void reported.push(`give back ${pod.metadata.name}`));
      });
      ctx.hooks.podAdmit.tap({ name: "wait" }, (verdict, { pod }) => {
        if (pod.metadata.name === "late" && !state.there) return verdict.postpone(waiting);
        return undefined;
      });
      ctx.hooks.podAdmit.tap(
        { name: "after", stage: "repair" },
        (_, { pod }) => void reported.push(`repair ${pod.metadata.name}`),
      );
    },
  });
  return { reported, state, plugin };
}

describe("a postponed admission", () => {
  test("leaves the pod Pending with its reason, gives back what was taken, and asks no later tap", async () => {
    const { reported, plugin } = story();
    const agent = await startTestAgent({ plugins: [plugin] });
    await agent.apply(aPod({ name: "late" }));
    expect(agent.pod("late").status).toMatchObject({
      phase: "Pending",
      reason: waiting.reason,
      message: waiting.message,
    });
    expect(reported).toEqual(["take late", "give back late"]);
    expect(agent.events().filter(({ reason }) => reason === waiting.reason)).toHaveLength(1);
  });

  test("is asked again after its time, and the pod runs when nothing is in its way any more", async () => {
    const { reported, state, plugin } = story();
    const agent = await startTestAgent({ plugins: [plugin] });
    await agent.apply(aPod({ name: "late" }));
    await agent.advance(4_900);
    expect(reported.filter((line) => line === "take late")).toHaveLength(1);
    await agent.advance(200);
    expect(reported.filter((line) => line === "take late")).toHaveLength(2);
    state.there = true;
    await agent.waitFor(() => agent.pod("late").status?.phase === "Running");
    expect(agent.pod("late").status?.reason).toBeUndefined();
    expect(agent.events().filter(({ reason }) => reason === waiting.reason)).toHaveLength(1);
  });

  test("keeps no other pod waiting", async () => {
    const { plugin } = story();
    const agent = await startTestAgent({ plugins: [plugin] });
    await agent.apply(aPod({ name: "late" }));
    await agent.apply(aPod({ name: "other" }));
    await agent.waitFor(() => agent.pod("other").status?.phase === "Running", 4_000);
  });

  test("ends with the pod", async () => {
    const { reported, plugin } = story();
    const agent = await startTestAgent({ plugins: [plugin] });
    await agent.apply(aPod({ name: "late" }));
    await agent.delete("late");
    await agent.advance(20_000);
    expect(reported).toEqual(["take late", "give back late"]);
    expect(agent.api.pods()).toEqual([]);
  });

  test.each([
    { name: "a reason that is no word", postponement: { ...waiting, reason: "not yet" } },
    { name: "no message", postponement: { ...waiting, message: "" } },
    { name: "a time that is none", postponement: { ...waiting, retryAfterSeconds: 0 } },
  ])("$name is the plugin's fault, and refuses the pod by its name", async ({ postponement }) => {
    const plugin = definePlugin({
      meta: { name: "wrong", api: 1 },
      start: (ctx) => ctx.hooks.podAdmit.tap((verdict) => verdict.postpone(postponement)),
    });
    const agent = await startTestAgent({ plugins: [plugin] });
    await agent.apply(aPod({ name: "late" }));
    expect(agent.pod("late").status).toMatchObject({ phase: "Failed", reason: "UnexpectedAdmissionError" });
    expect(agent.pod("late").status?.message).toContain('Plugin "wrong"');
  });
});

test("plugins know whether every source has spoken", async () => {
  let ready: (() => boolean) | undefined;
  const plugin = definePlugin({
    meta: { name: "asks", api: 1 },
    start(ctx) {
      ready = () => ctx.pods.sourcesReady();
    },
  });
  const silent = { name: "silent", start: async () => {}, stop: async () => {} };
  const [well, waits] = [await startTestAgent({ plugins: [plugin] }), ready];
  expect(waits?.()).toBe(true);
  await well.stop();
  await startTestAgent({ plugins: [plugin], sources: [silent] });
  expect(ready?.()).toBe(false);
});
