/** A plugin tells the agent's stop from a fault by its code. */
import { definePlugin } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent } from "../../../src/index.js";

test("everything that the stop of the agent cuts short ends with an error of code AGENT_STOPPING", async () => {
  const reasons = new Map<string, unknown>();
  const until = (what: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        reasons.set(what, signal.reason);
        resolve();
      }),
    );
  const plugin = definePlugin({
    meta: { name: "patient", api: 1 },
    start: (ctx) => {
      void until("ctx.signal", ctx.signal);
      ctx.hooks.tick(1).tap(({ signal }) => until("tick", signal));
      ctx.hooks.containerStart.tap((_, { signal }) => until("containerStart", signal));
      ctx.node.offerReclaim({
        name: "nothing",
        frees: "container",
        order: 0,
        reclaim: (signal) => until("reclaim", signal).then(() => ({ removed: 0 })),
      });
      return {
        open: () =>
          void ctx.node
            .reclaimers()[0]
            ?.reclaim(new AbortController().signal)
            .catch(() => undefined),
      };
    },
  });
  const agent = await startTestAgent({ plugins: [plugin] });
  await agent.apply(aPod());
  await agent.advance(2_000);
  expect([...reasons.keys()]).toEqual([]);
  await agent.stop();
  const codes = [...reasons].map(([what, reason]) => [what, (reason as { readonly code?: string } | undefined)?.code]);
  expect(Object.fromEntries(codes)).toEqual({
    "ctx.signal": "AGENT_STOPPING",
    tick: "AGENT_STOPPING",
    containerStart: "AGENT_STOPPING",
    reclaim: "AGENT_STOPPING",
  });
});
