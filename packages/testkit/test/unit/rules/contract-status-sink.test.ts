/** A source that takes statuses, badly. */
import { definePlugin, type Pod } from "@hooklet/core";
import type { PodSource, SourceSink, StatusReport } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent, type TestAgent } from "../../../src/index.js";

const MINUTE = 60_000;

class RemoteSource implements PodSource {
  readonly log: string[] = [];
  readonly calls: { readonly at: number; readonly uid: string; readonly phase: string | undefined }[] = [];
  readonly underWay = new Map<string, number>();
  most = 0;
  sink: SourceSink | undefined;
  /** What a call does before it succeeds. */
  hinder: (report: StatusReport, signal: AbortSignal) => Promise<void> = async () => {};
  now: () => number = () => 0;

  constructor(readonly name = "remote") {}

  async start(sink: SourceSink): Promise<void> {
    this.sink = sink;
    sink.desired([]);
  }

  async status(report: StatusReport, signal: AbortSignal): Promise<void> {
    const { uid } = report.pod.metadata;
    const busy = (this.underWay.get(uid) ?? 0) + 1;
    this.underWay.set(uid, busy);
    this.most = Math.max(this.most, busy);
    this.calls.push({ at: this.now(), uid, phase: report.pod.status?.phase });
    try {
      await this.hinder(report, signal);
    } finally {
      this.underWay.set(uid, busy - 1);
    }
    this.log.push(`${report.final ? "final" : "status"} ${uid}`);
  }

  removed(uid: string): void {
    this.log.push(`removed ${uid}`);
  }

  async stop(): Promise<void> {}
}

async function node(source: RemoteSource): Promise<TestAgent> {
  const agent = await startTestAgent({ sources: [source] });
  source.now = () => agent.clock.monotonic();
  return agent;
}

const web = (uid: string): Pod => aPod({ name: "web", uid });

test("a status sink that fails for a minute: retried from 1 s to 30 s with the latest, and the name is free only after the final status", async () => {
  const source = new RemoteSource();
  const agent = await node(source);
  source.sink?.changed({ set: [web("one")] });
  await agent.advance(5_000);
  const from = agent.clock.monotonic();
  source.hinder = async () => {
    if (agent.clock.monotonic() - from < MINUTE) throw new Error("the server is away");
  };
  source.calls.length = 0;
  source.log.length = 0;
  source.sink?.changed({ removed: [{ uid: "one", gracePeriodSeconds: 1 }], set: [web("two")] });
  await agent.advance(50_000);
  expect(agent.api.pods().map(({ metadata }) => metadata.uid)).toEqual(["one"]);
  expect(await agent.runtime.listContainers()).toEqual([]);
  expect(source.log).toEqual([]);
  await agent.advance(30_000);
  const waits = source.calls
    .filter(({ uid, at }) => uid === "one" && at - from < 2 * MINUTE)
    .map(({ at }, i, all) => Math.round((at - (all[i - 1]?.at ?? from)) / 1000));
  expect(waits.slice(1)).toEqual([1, 2, 4, 8, 16, 30]);
  expect(source.log.slice(0, 2)).toEqual(["final one", "removed one"]);
  expect(source.most).toBe(1);
  expect(agent.pod("web").metadata.uid).toBe("two");
  await agent.advance(1_000);
  expect(agent.pod("web").status?.phase).toBe("Running");
  expect(agent.problems().filter((text) => text.includes("the server is away"))).toHaveLength(1);
});

test("a source that is stopped is not waited for", async () => {
  const source = new RemoteSource();
  const agent = await node(source);
  source.sink?.changed({ set: [web("one")] });
  await agent.advance(5_000);
  source.hinder = () => new Promise(() => {});
  source.sink?.changed({ removed: [{ uid: "one", gracePeriodSeconds: 1 }] });
  await agent.advance(5_000);
  await agent.stop();
});

test("a slow sink sees the latest of each pod only, one call at a time, many pods side by side", async () => {
  const source = new RemoteSource();
  const agent = await node(source);
  let free = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    free = resolve;
  });
  source.hinder = () => gate;
  source.sink?.changed({ set: Array.from({ length: 10 }, (_, i) => aPod({ name: `p${i}`, uid: `p${i}` })) });
  await agent.advance(10_000);
  expect(source.calls).toHaveLength(10);
  free();
  await agent.clock.settle();
  expect(source.calls).toHaveLength(20);
  expect(source.calls.slice(10).map(({ phase }) => phase)).toEqual(Array.from({ length: 10 }, () => "Running"));
  expect(source.most).toBe(1);
});

test.each([
  {
    name: "throws",
    fault: () => {
      throw new Error("broken");
    },
  },
  { name: "rejects", fault: () => Promise.reject(new Error("broken")) },
])("a source that $name in all its methods is reported and harms no pod", async ({ fault }) => {
  const source: PodSource = {
    name: "broken",
    start: async (sink) => sink.desired([aPod({ name: "own", uid: "own" })]),
    stop: fault as never,
    status: fault as never,
    event: fault as never,
    removed: fault as never,
  };
  const plugin = definePlugin({ meta: { name: "bringer", api: 1 }, start: (ctx) => ctx.addSource(source) });
  const agent = await startTestAgent({ plugins: [plugin] });
  await agent.apply(aPod({ name: "web", uid: "web" }));
  await agent.advance(MINUTE);
  expect(agent.pod("own").status?.phase).toBe("Running");
  await agent.delete("web");
  await agent.advance(MINUTE);
  expect(agent.api.pods().map(({ metadata }) => metadata.name)).toEqual(["own"]);
  expect(agent.problems().some((text) => text.includes("source broken: broken"))).toBe(true);
});

test("two sources of one name are refused, and so is one that is added late", async () => {
  const twice = definePlugin({
    meta: { name: "twice", api: 1 },
    start: (ctx) => ctx.addSource(new RemoteSource("control")),
  });
  await expect(startTestAgent({ plugins: [twice] })).rejects.toMatchObject({ code: "PLUGIN_START" });
});

test("a pod that is being deleted is stopped within its grace period, and one that arrives so is only reported as gone", async () => {
  const source = new RemoteSource();
  const agent = await node(source);
  agent.runtime.script({ container: "main" }, (process) => process.onTerm(() => {}));
  source.sink?.changed({ set: [web("one")] });
  await agent.advance(5_000);
  const deleted = (uid: string, seconds: number): Pod => {
    const pod = web(uid);
    const deletion = { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: seconds };
    return { ...pod, metadata: { ...pod.metadata, ...(deletion as object) } };
  };
  source.sink?.changed({ set: [deleted("one", 7)] });
  await agent.advance(6_000);
  expect(agent.pod("web").status?.phase).toBe("Running");
  await agent.advance(2_000);
  expect(agent.api.pods()).toEqual([]);
  source.sink?.changed({ set: [deleted("one", 7)] });
  await agent.advance(5_000);
  expect(source.log.filter((line) => line.startsWith("final"))).toEqual(["final one"]);
  source.log.length = 0;
  source.sink?.changed({ removed: [{ uid: "one" }], set: [deleted("other", 7)] });
  await agent.advance(1_000);
  expect(source.log.filter((line) => !line.startsWith("status"))).toEqual(["final other", "removed other"]);
  expect(await agent.runtime.listContainers()).toEqual([]);
});
