import { expect, test } from "@jest/globals";
import { z } from "zod";
import { definePlugin, type NodeContext, type StrategyTable } from "../../../src/plugin/contract.js";

type Pick = (names: readonly string[]) => string | undefined;

const meta = { name: "picker", api: 1 } as const;
const picks: StrategyTable<Pick> = {
  first: { description: "The first", options: z.object({}), create: () => (names) => names[0] },
};

// `pnpm types` checks what must not compile; the test only holds that `definePlugin` returns the plugin unchanged.
test("definePlugin infers options from the schema and strategies from the tables", () => {
  const given = {
    meta,
    options: z.object({ period: z.number() }),
    strategies: { pick: picks },
    start(_: NodeContext, { period }: { period: number }, { pick }: { pick: Pick }) {
      void pick([String(period)]);
    },
  };
  expect(definePlugin(given)).toBe(given);

  definePlugin({
    meta,
    options: (zod) => zod.object({ period: zod.number() }),
    strategies: { pick: picks },
    start(ctx, options, strategies) {
      const period: number = options.period;
      const picked: string | undefined = strategies.pick([String(period)]);
      // @ts-expect-error the schema has no such option
      void options.perod;
      // @ts-expect-error the plugin has no such strategy point
      void strategies.pock;
      // @ts-expect-error a strategy point is no option
      void options.pick;
      // @ts-expect-error firing is the core's
      void ctx.hooks.podAdmit.promise;
      void picked;
    },
  });

  // @ts-expect-error an instance has no `close`
  definePlugin({ meta, start: () => ({ close: () => {} }) });
  // @ts-expect-error this contract has one version
  definePlugin({ meta: { name: "late", api: 2 }, start() {} });
  definePlugin({
    meta,
    // @ts-expect-error an entry of a table needs `create`
    strategies: { pick: { first: { description: "The first", options: z.object({}) } } },
    start() {},
  });
});
