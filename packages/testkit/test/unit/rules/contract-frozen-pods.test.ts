import { definePlugin, type NodeContext, type Pod } from "@hooklet/core";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { aContainer, aPod, startTestAgent } from "../../../src/index.js";
import { LateSource } from "../contract/late-source.js";

/** What of a value can still be changed, by its path. */
function open(value: unknown, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => open(one, `${path}.${key}`));
  return Object.isFrozen(value) ? inner : [path, ...inner];
}

/** Notes all pods and events that it is given, by the way on which they came. */
function grabber() {
  const pods = new Map<string, Pod[]>();
  /** Checked when they come: what is open then may be frozen later. */
  const openAt = new Map<string, string[]>();
  const events = new Map<string, object>();
  let context: NodeContext | undefined;
  const note = (way: string, ...given: readonly Pod[]): void => {
    pods.set(way, [...(pods.get(way) ?? []), ...given]);
    const found = given.flatMap((pod) => open(pod, `pod ${pod.metadata.name}`));
    openAt.set(way, [...(openAt.get(way) ?? []), ...found]);
  };
  const plugin = definePlugin({
    meta: { name: "grabber", api: 1 },
    start: (ctx) => {
      context = ctx;
      ctx.hooks.podAdmit.tap((_, event) => {
        events.set("podAdmit", event);
        note("podAdmit", event.pod);
        note("otherPods", ...event.otherPods);
        note("awaited", ...ctx.pods.awaited());
      });
      ctx.hooks.containerStart.tap((_, event) => {
        events.set("containerStart", event);
        note("containerStart", event.pod);
      });
      ctx.hooks.podTerminate.tap((event) => {
        events.set("podTerminate", event);
        note("podTerminate", event.pod);
      });
      ctx.hooks.tick(1).tap((event) => void events.set("tick", event));
      ctx.pods.onUpdate((before, after) => {
        note("onUpdate", before, after);
        return true;
      });
      ctx.pods.watch((uid, pod) => {
        if (pod === undefined) return;
        note("watch", pod);
        note("list", ...ctx.pods.list());
        note("get", ctx.pods.get(uid) as Pod);
        note("active", ...ctx.pods.active());
      });
      return {
        open: (view) => note("open", ...view.pods),
        plan: async ({ pod }) => {
          if (pod !== undefined) note("plan", pod);
          return [];
        },
      };
    },
  });
  return { plugin, pods, openAt, events, context: () => context as NodeContext };
}

const manifest = (value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "direct" },
    spec: { containers: [{ name: "main", image: "app:1", env: [{ name: "A", value }] }] },
  });

/** A node's life in short: start, resize, update, plan, restart with a source that is silent, an orphan. */
async function life(grabbed: ReturnType<typeof grabber>): Promise<void> {
  const late = new LateSource("late");
  // Frozen at its top alone, as a plugin's source may give it.
  late.pods = [Object.freeze(aPod({ name: "early", labels: { app: "early" } }))];
  const agent = await startTestAgent({ plugins: [grabbed.plugin], sources: [late], keep: true });
  await agent.apply(aPod({ name: "web", containers: [aContainer({ requests: { cpu: "1" } })] }));
  await agent.advance(5_000);
  const ref = { podUid: agent.pod("web").metadata.uid, container: "main" };
  grabbed.context().pods.setAppliedResources(ref, { requests: { cpu: "500m" } });
  await agent.api.apply(manifest("first"), "the test");
  await agent.advance(5_000);
  await agent.api.apply(manifest("second"), "the test");
  await agent.api.plan("grabber", { manifest: manifest("third"), arguments: {} });
  await agent.restart(() => {
    late.pods = undefined;
  });
  await agent.apply(aPod({ name: "next" }));
  await agent.advance(5_000);
  late.speak([]);
  await agent.delete("web");
  await agent.advance(40_000);
  await agent.stop();
}

describe("what a plugin is given is frozen, with all that it holds", () => {
  const grabbed = grabber();
  beforeAll(() => life(grabbed));

  // biome-ignore format: one list
  const ways = [
    "podAdmit", "otherPods", "awaited", "containerStart", "podTerminate", "onUpdate", "watch", "list", "get", "active", "open", "plan",
  ];
  test.each(ways)("every pod of %s", (way) => {
    expect(grabbed.pods.get(way) ?? []).not.toEqual([]);
    expect(new Set(grabbed.openAt.get(way))).toEqual(new Set());
  });

  test("also a pod with applied amounts in place of its own, and one that only the runtime knows", () => {
    const cpu = (pod: Pod) => pod.spec.containers[0]?.resources?.requests?.cpu;
    expect(grabbed.pods.get("otherPods")?.map(cpu)).toContain("500m");
    const names = (way: string) => grabbed.pods.get(way)?.map(({ metadata }) => metadata.name);
    expect(names("awaited")).toContain("early");
    expect(names("podTerminate")).toContain("early");
  });

  test.each(["podAdmit", "containerStart", "podTerminate", "tick"])("the event of %s", (hook) => {
    // A signal cannot be frozen; aborting it needs its controller.
    const { signal: _, ...event } = grabbed.events.get(hook) as { readonly signal?: AbortSignal };
    expect(Object.isFrozen(grabbed.events.get(hook))).toBe(true);
    expect(open(Object.freeze(event), hook)).toEqual([]);
  });
});
