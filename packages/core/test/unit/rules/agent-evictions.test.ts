import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { Eviction, NodeContext } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { TestNode } from "../../agent/node.js";

const contexts = new Map<string, NodeContext>();

function asking(name: string): LoadedPlugin {
  const plugin = {
    meta: { name, api: 1 as const },
    options: z.strictObject({}),
    start: (ctx: NodeContext) => void contexts.set(name, ctx),
  };
  return { plugin, options: {}, specifier: name, origin: "test", file: name };
}

const pressure: Eviction = { reason: "Evicted", message: "the disk is full" };

async function node(): Promise<TestNode> {
  const here = new TestNode({ plugins: [asking("disk"), asking("devices")] });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

async function apply(here: TestNode, name: string, spec: object = {}): Promise<void> {
  const containers = [{ name: "main", image: "app:1" }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 2, containers, ...spec },
  };
  await here.agent.api.apply(JSON.stringify(pod), "-f");
  await here.clock.advance(1000);
}

function evict(here: TestNode, by: string, name: string, eviction: Eviction = pressure): Promise<void> {
  return (
    contexts.get(by)?.pods.evict(here.pod(name).metadata.uid, eviction) ?? Promise.reject(new Error(`no plugin ${by}`))
  );
}

const outcomes = (here: TestNode, name: string): readonly string[] =>
  here.agent.api.explain("pod", name).map(({ plugin, outcome }) => `${plugin}: ${outcome}`);

describe("evictions", () => {
  test("two evictions of the same pod are one, and both callers wait for its end", async () => {
    const here = await node();
    await apply(here, "web");
    const both = [evict(here, "disk", "web"), evict(here, "devices", "web", { reason: "DeviceLost", message: "gone" })];
    await here.clock.advance(5000);
    await Promise.all(both);
    expect(here.status("web")).toMatchObject({ phase: "Failed", reason: "Evicted", message: "the disk is full" });
    expect(here.events().filter((event) => event.startsWith("Evicted") || event.startsWith("DeviceLost"))).toEqual([
      "Evicted: the disk is full",
    ]);
    expect(outcomes(here, "web")).toEqual([
      "disk: evicted: Evicted: the disk is full",
      "devices: is being evicted already",
    ]);
  });

  test.each([
    { name: "a static pod", pod: "etcd", spec: undefined },
    { name: "a pod of a system priority", pod: "proxy", spec: { priority: 2_000_000_000 } },
  ])("$name is never evicted, and that is recorded", async ({ pod, spec }) => {
    const here = await node();
    if (spec === undefined) {
      const containers = [{ name: "main", image: "app:1" }];
      await here.manifest(
        "etcd.json",
        JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: pod }, spec: { containers } }),
      );
      await here.clock.advance(1000);
    } else await apply(here, pod, spec);
    await expect(evict(here, "disk", pod)).rejects.toThrow("is not evicted: it is critical");
    expect(here.status(pod).phase).toBe("Running");
    expect(outcomes(here, pod)).toEqual(["disk: not evicted: it is critical (static, or of a system priority)"]);
  });

  test("for another pod only such are evicted as that one may preempt", async () => {
    const here = await node();
    await apply(here, "low", { priority: 1 });
    await apply(here, "high", { priority: 2 });
    const [low, high] = [here.pod("low"), here.pod("high")];
    await expect(evict(here, "disk", "high", { ...pressure, preemptor: low })).rejects.toThrow(
      "pod default/low may not preempt it",
    );
    const done = evict(here, "disk", "low", { ...pressure, preemptor: high });
    await here.clock.advance(5000);
    await done;
    expect(outcomes(here, "low")).toEqual(["disk: evicted for pod default/high: Evicted: the disk is full"]);
  });

  test("a pod that is being deleted is waited for, not evicted", async () => {
    const here = await node();
    here.runtime.script({ pod: "web" }, (process) => process.onTerm(() => {}));
    await apply(here, "web");
    const { uid } = here.pod("web").metadata;
    await here.agent.api.deletePod({ name: "web" }, {});
    await here.clock.advance(100);
    const done = contexts.get("disk")?.pods.evict(uid, pressure);
    expect(outcomes(here, "web")).toEqual(["disk: is being stopped already"]);
    await here.clock.advance(10_000);
    await done;
    expect(here.events().filter((event) => event.startsWith("Evicted"))).toEqual([]);
  });

  test("an unconditional one passes the protection, and has no event", async () => {
    const here = await node();
    for (const name of ["a", "b"]) await apply(here, name);
    await apply(here, "proxy", { priority: 2_000_000_000 });
    const first = evict(here, "disk", "a");
    await here.clock.advance(5_000);
    await first;
    const down: Eviction = { reason: "Terminated", message: "the machine goes down", unconditional: true };
    const all = [evict(here, "disk", "b", down), evict(here, "disk", "proxy", down)];
    await here.clock.advance(5_000);
    await Promise.all(all);
    for (const name of ["b", "proxy"])
      expect(here.status(name)).toMatchObject({ phase: "Failed", reason: "Terminated" });
    expect(here.events().filter((event) => /^(Evicted|Terminated)/.test(event))).toEqual(["Evicted: the disk is full"]);
  });

  test("one that does not last is not remembered: the pod runs again when the agent comes up again", async () => {
    const here = await node();
    await apply(here, "web");
    const done = evict(here, "disk", "web", { ...pressure, lasting: false });
    await here.clock.advance(5_000);
    await done;
    expect(here.status("web")).toMatchObject({ phase: "Failed", reason: "Evicted" });
    await here.stop();
    await here.start();
    await here.clock.advance(5_000);
    expect(here.status("web").phase).toBe("Running");
  });
});
