/** The Node in the API: how it is registered, when its status is reported, and how often it is checked. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import { nodeStatus } from "../../../src/node/node-status.js";
import { NodeSync, type NodeSyncPorts } from "../../../src/node/node-sync.js";
import { FakeCluster } from "../../fake-cluster.js";

const NODES = "/api/v1/nodes";

function synced(
  { change = {}, cluster = new FakeCluster(), random = 0.5 } = {} as {
    change?: Partial<NodeSyncPorts>;
    cluster?: FakeCluster;
    random?: number;
  },
) {
  const clock = new VirtualClock();
  const { heartbeat, watches } = cluster.clients({}, { clock });
  const state = { notReady: [] as readonly string[], acts: true, looks: 0, statuses: 0, capacity: {} };
  const [reports, transitions, seen]: [string[], string[], unknown[]] = [[], [], []];
  const listeners: { condition?: () => void; lease?: () => void } = {};
  let ended = 0;
  const life = new AbortController();
  const node = new NodeSync({
    client: heartbeat,
    watches,
    clock,
    random: () => random,
    nodeName: "node1",
    registerNode: true,
    registration: () => ({ name: "node1", labels: { a: "b" }, taints: [], providerID: "p" }),
    status: async (before) => {
      state.statuses += 1;
      const facts = {
        name: "node1",
        ip: "192.0.2.10",
        port: undefined,
        capacity: state.capacity,
        allocatable: {},
        system: {} as never,
        images: [],
        runtimeHandlers: [],
        conditions: [],
        notReady: state.notReady,
      };
      return nodeStatus(facts, before, new Date(clock.now()).toISOString());
    },
    notReady: async () => {
      state.looks += 1;
      return state.notReady;
    },
    nodeStatusUpdateFrequency: 10,
    nodeStatusReportFrequency: 300,
    watchConditions: (listener) => {
      listeners.condition = listener;
      return () => {
        ended += 1;
      };
    },
    seen: (one) => seen.push(one.metadata.labels),
    nodeLease: {
      get acts() {
        return state.acts;
      },
      watch: (listener) => {
        listeners.lease = listener;
      },
    },
    transition: (reason) => transitions.push(reason),
    report: (where, error) => reports.push(`${where}: ${(error as Error).message}`),
    ...change,
  });
  let running: Promise<void> | undefined;
  const run = (milliseconds: number): Promise<void> => {
    running ??= node.run(life.signal);
    return clock.advance(milliseconds);
  };
  const stop = async (): Promise<void> => {
    life.abort();
    await running;
  };
  const asked = (): readonly string[] => cluster.requests.map(({ method, path }) => `${method} ${path}`);
  const patches = (): number => asked().filter((one) => one === `PATCH ${NODES}/node1/status`).length;
  return {
    clock,
    cluster,
    node,
    state,
    reports,
    transitions,
    seen,
    listeners,
    run,
    stop,
    asked,
    patches,
    life,
    ended: () => ended,
  };
}

const ready = { type: "Ready", status: "True" };

test("the first checks of a node that is not ready are frequent, so that it is reported at once; one that stays so is checked at the normal rate", async () => {
  const { node, state, run, stop } = synced();
  state.notReady = ["the runtime is down"];
  await run(10_000);
  expect(state.looks).toBeGreaterThan(90);
  await run(120_000);
  const before = [state.looks, state.statuses] as const;
  await run(600_000);
  expect([state.looks - before[0], state.statuses - before[1]]).toEqual([0, 60]);
  state.notReady = [];
  await run(10_000);
  expect(node.node?.status?.conditions).toContainEqual(expect.objectContaining(ready));
  await stop();
});

test("a node that becomes ready soon after it is registered is reported within 100 ms, and not looked for any more", async () => {
  const { node, state, run, stop } = synced();
  state.notReady = ["the runtime is down"];
  await run(3_000);
  state.notReady = [];
  await run(100);
  expect(node.node?.status?.conditions).toContainEqual(expect.objectContaining(ready));
  const { looks } = state;
  await run(60_000);
  expect(state.looks).toBe(looks);
  await stop();
});

test("a node that is not there is created with its labels, id and status; it is known from then on", async () => {
  const { cluster, node, seen, asked, run, stop } = synced();
  let isKnown = false;
  void node.known.then(() => {
    isKnown = true;
  });
  await run(0);
  expect([asked()[0], isKnown, seen[0]]).toEqual([`POST ${NODES}`, true, { a: "b" }]);
  expect(cluster.requests[0]?.body).toMatchObject({
    metadata: { name: "node1", labels: { a: "b" } },
    spec: { providerID: "p" },
    status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }, {}] },
  });
  expect(node.uid).toBe(cluster.objects.get(`${NODES}/node1`)?.metadata.uid);
  await stop();
});

test.each([
  ["lacks labels", { labels: { other: "c" } }, [`POST ${NODES}`, `PATCH ${NODES}/node1`]],
  [
    "lacks nothing",
    { labels: { a: "b" }, annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } },
    [`POST ${NODES}`],
  ],
])("a node that is there and %s is taken over as it is", async (_name, metadata, expected) => {
  const cluster = new FakeCluster();
  cluster.put(NODES, { metadata: { name: "node1", ...metadata }, spec: { providerID: "p" } });
  const { node, asked, run, stop } = synced({ cluster });
  await run(0);
  expect(asked().filter((one) => !one.endsWith("/status") && !one.startsWith("GET"))).toEqual(expected);
  expect(node.node?.metadata.labels).toMatchObject({ a: "b" });
  await stop();
});

test("without registerNode a node that is not there is waited for; the failure is reported once", async () => {
  const { cluster, node, reports, asked, run, stop } = synced({ change: { registerNode: false } });
  await run(5_000);
  expect([reports, node.uid]).toEqual([[`registration of the node: ${NODES}/node1 not found`], undefined]);
  // 100 ms, doubled with each failure.
  expect(asked().filter((one) => one.startsWith("GET")).length).toBe(6);
  cluster.put(NODES, { metadata: { name: "node1" } });
  await run(7_000);
  expect(node.uid).toBeDefined();
  expect(asked()).not.toContain(`POST ${NODES}`);
  await stop();
});

test("a node that may not be created is read; another refusal is a failure", async () => {
  for (const [status, isRead] of [
    [403, true],
    [409, true],
    [500, false],
  ] as const) {
    const cluster = new FakeCluster();
    cluster.put(NODES, { metadata: { name: "node1" } });
    const { heartbeat } = cluster.clients({}, { clock: new VirtualClock() });
    const create = () => Promise.reject(new ApiError(status, "", "no"));
    const client = { ...heartbeat, create } as NodeSyncPorts["client"];
    const { node, reports, run, stop } = synced({ cluster, change: { client } });
    await run(50);
    expect([status, node.uid !== undefined, reports.length]).toEqual([status, isRead, isRead ? 0 : 1]);
    await stop();
  }
});

test("a status in which nothing changed is reported every 300 s, one that changed at the next check", async () => {
  const { state, patches, run, stop } = synced();
  await run(0);
  const first = patches();
  await run(299_000);
  expect(patches() - first).toBe(0);
  await run(11_000);
  expect(patches() - first).toBe(1);
  state.capacity = { cpu: "4" };
  await run(10_000);
  expect(patches() - first).toBe(2);
  await stop();
});

test("after a change the next report comes within a half and one and a half of the period, by chance", async () => {
  for (const [random, period] of [
    [0, 150_000],
    [0.5, 300_000],
    [1, 450_000],
  ] as const) {
    const { state, patches, run, stop } = synced({ random });
    await run(20_000);
    state.capacity = { cpu: "4" };
    await run(10_000);
    const after = patches();
    await run(period - 10_000);
    expect([random, patches() - after]).toEqual([random, 0]);
    await run(20_000);
    expect([random, patches() - after]).toEqual([random, 1]);
    await stop();
  }
});

test("a condition that changed, and a lease that is this agent's again, are checked at once", async () => {
  const { state, listeners, run, stop } = synced();
  await run(1_000);
  for (const wake of ["condition", "lease"] as const) {
    const before = state.statuses;
    listeners[wake]?.();
    await run(0);
    expect(state.statuses - before).toBe(1);
  }
  await stop();
});

test("while the node may be another agent's nothing is said of it", async () => {
  const { state, run, patches, stop } = synced();
  await run(1_000);
  const before = patches();
  state.acts = false;
  state.capacity = { cpu: "4" };
  await run(60_000);
  expect(patches() - before).toBe(0);
  state.acts = true;
  await run(10_000);
  expect(patches() - before).toBe(1);
  await stop();
});

test("each condition that is there or changes is an event", async () => {
  const { state, transitions, run, stop } = synced();
  await run(1_000);
  state.notReady = ["the runtime is down"];
  await run(10_000);
  state.notReady = [];
  await run(10_000);
  expect(transitions).toEqual([
    ...["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"],
    ...["NodeReady", "NodeNotReady", "NodeReady"],
  ]);
  await stop();
});

test("a report that failed is tried five times upon what the API has then, and a series of failures is reported once", async () => {
  const { cluster, state, reports, asked, run, patches, stop } = synced();
  await run(1_000);
  const before = [patches(), asked().length] as const;
  cluster.conflicts = 1_000;
  state.capacity = { cpu: "4" };
  await run(12_000);
  expect(patches() - before[0]).toBe(5);
  expect(asked().filter((one) => one === `GET ${NODES}/node1`)).toHaveLength(4);
  await run(40_000);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/^status of the node: the object has been modified/);
  cluster.conflicts = 3;
  await run(20_000);
  cluster.conflicts = 1_000;
  state.capacity = { cpu: "5" };
  await run(20_000);
  expect(reports).toHaveLength(2);
  await stop();
});

test("a node that was deleted is registered again", async () => {
  const { cluster, state, asked, reports, run, stop } = synced();
  await run(1_000);
  cluster.remove(NODES, "node1");
  state.capacity = { cpu: "4" };
  await run(10_000);
  expect(asked().filter((one) => one === `POST ${NODES}`)).toHaveLength(2);
  expect([reports, cluster.objects.has(`${NODES}/node1`)]).toEqual([[], true]);
  await stop();
});

test("changes that others make are seen by the watch; a node that is gone is none", async () => {
  const { cluster, node, seen, run, stop } = synced();
  await run(1_000);
  const own = cluster.objects.get(`${NODES}/node1`);
  cluster.put(NODES, { ...own, metadata: { name: "node1", labels: { other: "c" } } });
  await run(0);
  expect(seen.at(-1)).toEqual({ other: "c" });
  cluster.remove(NODES, "node1");
  await run(0);
  expect(node.uid).toBeUndefined();
  await stop();
});

test("a read that fails is not repeated within ten seconds, unless its caller gave up", async () => {
  const { clock, cluster, node, run, stop } = synced();
  await run(1_000);
  const { signal } = new AbortController();
  let asked = 0;
  const get = async () => {
    asked += 1;
    if (cluster.down) throw new ApiError(0, "Unreachable", "no answer");
    return { metadata: { name: "node1", labels: { fresh: "yes" } } } as never;
  };
  await node.refresh({ get }, signal);
  expect(node.node?.metadata.labels).toEqual({ fresh: "yes" });
  cluster.down = true;
  const given = AbortSignal.abort(new Error("enough"));
  await expect(node.refresh({ get }, given)).rejects.toThrow("no answer");
  await expect(node.refresh({ get }, signal)).rejects.toThrow("no answer");
  await node.refresh({ get }, signal);
  await clock.advance(9_999);
  await node.refresh({ get }, signal);
  expect(asked).toBe(3);
  await clock.advance(1);
  await expect(node.refresh({ get }, signal)).rejects.toThrow("no answer");
  await stop();
});

test("the end of the agent ends its waits and its watch; before the registration too", async () => {
  const { clock, ended, run, stop, reports } = synced();
  await run(1_000);
  await stop();
  expect([ended(), clock.pending]).toEqual([1, 0]);
  const early = synced({ change: { registerNode: false } });
  await early.run(50);
  await early.stop();
  expect([early.ended(), early.clock.pending, reports]).toEqual([0, 0, []]);
});
