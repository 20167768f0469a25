import { definePlugin, type NodeContext, type PluginInstance } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { pluginChecks } from "../../../src/plugin-suite/plugin-checks.js";
import type { PluginSuite } from "../../../src/plugin-suite/plugin-suite.js";
import type { TestAgent } from "../../../src/test-agent/test-agent.js";

/** The beginnings of the rules that the plugin breaks. */
async function broken<Options>(suite: PluginSuite<Options>): Promise<readonly string[]> {
  const checks: { rule: string; run: () => Promise<void> }[] = [];
  pluginChecks(suite, (rule, run) => checks.push({ rule, run }));
  const failed: string[] = [];
  for (const { rule, run } of checks) await run().catch(() => failed.push(rule.split(/[,:]| it /, 1)[0] ?? rule));
  return failed;
}

type Start = (context: NodeContext) => PluginInstance | undefined;

const named = (start: Start): PluginSuite<object> => ({
  plugin: definePlugin({ meta: { name: "bad", api: 1 }, options: (z) => z.object({}), start }),
  badOptions: [],
});

const bad: readonly { name: string; start: Start; rules: readonly string[] }[] = [
  {
    name: "starts an endless timer",
    start: ({ clock }) => {
      const again = (): void => void clock.schedule(1000, again);
      again();
      return undefined;
    },
    rules: ["leaves no timer behind when"],
  },
  {
    name: "lets a failed runtime call out of its tick",
    start: ({ hooks, runtime }) => {
      hooks.tick(10).tap(async () => void (await runtime.listImages()));
      return undefined;
    },
    rules: ["never throws from tick"],
  },
  {
    name: "throws at its second stop",
    start: () => {
      let stopped = false;
      return {
        stop() {
          if (stopped) throw new Error("stopped already");
          stopped = true;
        },
      };
    },
    rules: ["may be stopped twice"],
  },
  {
    name: "removes an image at every tick",
    start: ({ hooks, runtime }) => {
      hooks.tick(10).tap(() => runtime.removeImage("old").catch(() => {}));
      return undefined;
    },
    rules: ["changes nothing in the runtime from tick to tick while nothing happens"],
  },
  {
    name: "calls the runtime in start",
    start: ({ runtime }) => {
      runtime.listImages().catch(() => {});
      return undefined;
    },
    rules: ["starts with empty options"],
  },
  {
    name: "knows only pods whose containers it saw start",
    start: ({ hooks }) => {
      const started = new Set<string>();
      hooks.containerStart.tap((_, { pod }) => void started.add(pod.metadata.uid));
      hooks.podTerminate.tap(({ pod }) => {
        if (!started.delete(pod.metadata.uid)) throw new Error("what pod is this?");
      });
      return undefined;
    },
    rules: ["works when"],
  },
];

test.each(bad)("a plugin that $name breaks its rule and no other", async ({ start, rules }) => {
  expect(await broken(named(start))).toEqual(rules);
});

test("a plugin that changes the pods it is given is found out", async () => {
  const meddler: Start = ({ hooks }) => {
    hooks.podAdmit.tap((_, { pod }) => void Object.assign(pod.metadata, { labels: {} }));
    return undefined;
  };
  expect(await broken(named(meddler))).toContain("does not change what");
});

test("a plugin that forgets what it has to remember is found out", async () => {
  const forgetful: Start = ({ hooks }) => {
    let starts = 0;
    hooks.containerStart.tap(() => void starts++);
    return { views: { starts: { description: "", columns: [{ name: "n" }], rows: () => [{ n: starts }] } } };
  };
  const suite = { ...named(forgetful), remembered: (agent: TestAgent) => agent.api.view("starts") };
  expect(await broken(suite)).toEqual(["knows after a restart what"]);
});

test("a plugin that remembers a number as a text is found out", async () => {
  const suite: PluginSuite<object> = {
    ...named(() => undefined),
    remembered: (() => {
      const reported = [{ starts: 1 }, { starts: "1" }];
      return () => reported.shift();
    })(),
  };
  expect(await broken(suite)).toEqual(["knows after a restart what"]);
});

test("a plugin that takes any option is found out", async () => {
  const loose: PluginSuite<object> = {
    plugin: definePlugin({
      meta: { name: "bad", api: 1 },
      options: (z) => z.object({ high: z.unknown().optional() }),
      start() {},
    }),
    badOptions: [{ name: "a text", options: { high: "much" }, field: "high" }],
  };
  expect(await broken(loose)).toEqual(["refuses bad options"]);
});
