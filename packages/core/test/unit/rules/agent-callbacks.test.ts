/** No callback reaches a timer, an event or another listener unguarded. */

import { Listeners } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { DecisionLog, EventLog } from "../../../src/events/recorder.js";
import type { NodeContext } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { Evictions } from "../../../src/pod/life/evictions.js";
import type { PodWorker } from "../../../src/pod/life/worker.js";
import { next } from "../../../src/pod/next.js";
import { initialState } from "../../../src/pod/state.js";
import type { PodSource } from "../../../src/sources/port.js";
import { StatusHub } from "../../../src/sources/status-hub.js";
import { TestNode } from "../../agent/node.js";
import { aPod } from "../../pod/pods.js";

const boom = (): never => {
  throw new Error("boom");
};

test("an error of a listener reaches neither the other listeners nor the caller", () => {
  const failed: unknown[] = [];
  const heard: string[] = [];
  const listeners = new Listeners<[string]>((error) => failed.push(error));
  listeners.add(boom);
  const stop = listeners.add((text) => heard.push(text));
  listeners.tell("a");
  stop();
  listeners.tell("b");
  expect([heard, failed.length, listeners.size]).toEqual([["a"], 2, 1]);
});

test("listeners of events and decisions that throw do not reach the pod whose event it is", () => {
  const reports: string[] = [];
  const report = (where: string): void => void reports.push(where);
  const clock = new VirtualClock();
  const events = new EventLog({ clock, nodeName: "n", capacity: 2, report });
  const decisions = new DecisionLog(clock, 2, report);
  events.watch(boom);
  decisions.watch(boom);
  events.node("Normal", "A", "b");
  decisions.forPlugin("p").record({ strategy: "s", subject: "pod/a", considered: [], outcome: "o" });
  expect(reports).toEqual(["listener of events", "listener of decisions"]);
  expect(events.list()).toHaveLength(1);
});

test("a source whose status, event and removed throw gets them again, and harms no other source", async () => {
  const clock = new VirtualClock();
  const reports: string[] = [];
  const hub = new StatusHub({ clock, report: (where) => void reports.push(where) });
  const reported: string[] = [];
  const source = (name: string, more: Partial<PodSource>): PodSource => ({
    name,
    start: async () => {},
    stop: async () => {},
    ...more,
  });
  hub.add(source("bad", { status: boom, event: boom, removed: boom }));
  hub.add(
    source("good", {
      status: async ({ pod }) => void reported.push(pod.metadata.name),
      removed: (uid) => void reported.push(uid),
    }),
  );
  hub.changed({ metadata: { name: "a", namespace: "d", uid: "u" }, spec: { containers: [] } } as never);
  await clock.advance(1_500);
  hub.removed("u");
  hub.event({} as never);
  await clock.settle();
  expect(reported).toEqual(["a", "u"]);
  expect(reports).toEqual(["status of pod u for source bad", "removed of source bad", "event of source bad"]);
  hub.stop();
});

describe("in a whole agent", () => {
  async function node(): Promise<TestNode> {
    const plugin = {
      meta: { name: "asking", api: 1 as const },
      options: z.strictObject({}),
      start: (ctx: NodeContext) => {
        ctx.pods.watch(boom);
      },
    };
    const loaded: LoadedPlugin = { plugin, options: {}, specifier: "asking", origin: "test", file: "asking" };
    const here = new TestNode({ plugins: [loaded] });
    here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    return here.start();
  }

  const manifest = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { terminationGracePeriodSeconds: 2, containers: [{ name: "main", image: "app:1" }] },
  });

  test("watchers that throw do not keep a pod from running and ending", async () => {
    const here = await node();
    here.agent.api.watchPods(boom);
    here.agent.api.watchEvents(boom);
    await here.agent.api.apply(manifest, "-f");
    await here.clock.advance(2_000);
    expect(here.status("web").phase).toBe("Running");
    void here.agent.api.deletePod({ name: "web" }, {});
    await here.clock.advance(10_000);
    expect(here.agent.api.pods()).toEqual([]);
  });
});

test("evictions that time out leave no watcher behind", async () => {
  const clock = new VirtualClock();
  const pod = aPod();
  const state = next(initialState(pod, 0, 0), { type: "admitted" });
  const worker = { pod, state, dispatch: () => undefined } as unknown as PodWorker;
  let watchers = 0;
  const evictions = new Evictions({
    clock,
    events: { pod: () => undefined, node: () => undefined },
    worker: () => worker,
    awaited: () => [],
    until: (_, signal) =>
      new Promise((_resolve, reject) => {
        watchers += 1;
        signal.addEventListener("abort", () => {
          watchers -= 1;
          reject(signal.reason);
        });
      }),
    decisions: () => ({ record: () => undefined }),
  });
  const ends: string[] = [];
  for (let round = 0; round < 3; round++) {
    const eviction = evictions.evict(pod.metadata.uid, { reason: "Evicted", message: "full" }, "disk");
    eviction.catch((error: { code: string }) => ends.push(error.code));
    await clock.advance(600_000);
  }
  expect(ends).toEqual(["KILL_TIMEOUT", "KILL_TIMEOUT", "KILL_TIMEOUT"]);
  expect(watchers).toBe(0);
});
