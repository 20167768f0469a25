/** The pods of a cluster as a source of the agent: what it delivers, holds back and reports. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import { KubePods, type PodSourcePorts } from "../../../src/pods/pod-source.js";
import { PodTable } from "../../../src/pods/pod-table.js";
import { FakeCluster } from "../../fake-cluster.js";

const SPEC = { containers: [{ name: "main", image: "a" }] };
const PODS = "/api/v1/namespaces/default/pods";

function source() {
  const cluster = new FakeCluster();
  const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1) });
  const table = new PodTable();
  const desired: unknown[] = [];
  const changed: unknown[] = [];
  const said: string[] = [];
  const writes: unknown[] = [];
  const shown = new Map<string, object>();
  const lease = { acts: true, isNone: false, isLost: false, listener: (): void => undefined };
  const state = {
    hasHeld: true,
    all: undefined as readonly object[] | undefined,
    isWriting: false,
    fails: undefined as Error | undefined,
  };
  const names = (pods: readonly { metadata: { name: string } }[]) => pods.map(({ metadata }) => metadata.name);
  const work = async (what: unknown): Promise<void> => {
    writes.push(what);
    if (state.fails !== undefined) throw state.fails;
  };
  const life = new AbortController();
  const pods = new KubePods({
    watches: cluster.clients({}, { clock }).watches,
    clock,
    random: () => 0.5,
    nodeName: "node1",
    table,
    writer: {
      isWriting: () => state.isWriting,
      write: ({ pod }: { pod: { metadata: { name: string } } }) => work(`write ${pod.metadata.name}`),
      remove: ({ metadata }: { metadata: { name: string } }) => work(`remove ${metadata.name}`),
    } as never,
    mirrors: {
      write: ({ pod }: { pod: { metadata: { name: string } } }) => work(`mirror ${pod.metadata.name}`),
      reconcile: (all: readonly object[]) => work(`mirrors ${all.length}`),
    } as never,
    nodeKnown: Promise.resolve(),
    nodeLease: {
      get acts() {
        return lease.acts;
      },
      get isNone() {
        return lease.isNone;
      },
      get isLost() {
        return lease.isLost;
      },
      known: async () => undefined,
      watch: (listener) => {
        lease.listener = listener;
      },
    },
    ownership: {
      get hasHeld() {
        return state.hasHeld;
      },
    },
    signal: life.signal,
    came: ({ metadata }) => said.push(`came ${metadata.name}`),
    statusSeen: ({ metadata }) => said.push(`status of ${metadata.name}`),
    gone: (uid) => said.push(`gone ${uid}`),
    ousted: () => said.push("ousted"),
    shown: (uid) => shown.get(uid) as never,
    all: () => state.all as never,
    event: (event) => said.push(`event ${(event as { reason: string }).reason}`),
    report: (where, error) => said.push(`${where}: ${(error as Error).message}`),
  } as PodSourcePorts);
  const sink = {
    desired: (all: readonly { metadata: { name: string } }[]) => desired.push(names(all)),
    changed: ({ set, removed }: { set: readonly { metadata: { name: string } }[]; removed: readonly object[] }) =>
      changed.push([names(set), removed.length]),
    reachable: () => said.push("reachable"),
  };
  const start = async (): Promise<void> => {
    const started = pods.start(sink as never);
    await clock.advance(0);
    await started;
  };
  const stop = async (): Promise<void> => {
    life.abort();
    await pods.stop();
  };
  const { signal } = life;
  return { cluster, clock, table, pods, lease, state, shown, desired, changed, said, writes, start, stop, signal };
}

const uidOf = (cluster: FakeCluster, name: string): string => cluster.pod(name)?.metadata.uid ?? "";

test("all pods come first, then what changes: each that is added or replaced, and each that is gone", async () => {
  const { cluster, clock, desired, changed, said, start, stop } = source();
  for (const name of ["a", "b"]) cluster.addPod(name, SPEC);
  await start();
  expect(desired).toEqual([["a", "b"]]);
  cluster.addPod("c", SPEC);
  await clock.advance(0);
  cluster.remove(PODS, "a");
  await clock.advance(0);
  cluster.put(PODS, {
    ...cluster.pod("b"),
    metadata: { ...cluster.pod("b")?.metadata, name: "b", labels: { x: "y" } },
  });
  await clock.advance(0);
  expect(changed).toEqual([
    [["c"], 0],
    [[], 1],
    [["b"], 0],
  ]);
  expect(said).toEqual([
    ...["came a", "came b", "status of a", "status of b"],
    ...["came c", "status of c", "came b", "status of b", "status of b"],
  ]);
  await stop();
});

test("a change of the status alone is no change of the pod", async () => {
  const { cluster, clock, changed, said, start, stop } = source();
  cluster.addPod("a", SPEC);
  await start();
  said.length = 0;
  cluster.put(PODS, {
    ...cluster.pod("a"),
    metadata: { name: "a", ...cluster.pod("a")?.metadata },
    status: { phase: "Running" },
  });
  await clock.advance(0);
  expect([changed, said]).toEqual([[], ["status of a"]]);
  await stop();
});

test("a pod that has ended here stays as it was, unless it is deleted", async () => {
  const { cluster, clock, shown, changed, start, stop } = source();
  cluster.addPod("a", SPEC);
  await start();
  shown.set(uidOf(cluster, "a"), { metadata: {}, status: { phase: "Succeeded" } });
  cluster.put(PODS, {
    ...cluster.pod("a"),
    metadata: { ...cluster.pod("a")?.metadata, name: "a", labels: { x: "y" } },
  });
  await clock.advance(0);
  expect(changed).toEqual([]);
  cluster.askToGo("a");
  await clock.advance(0);
  expect(changed).toEqual([[["a"], 0]]);
  await stop();
});

test("a pod without what all pods have is left out and reported; where it was well before it stays", async () => {
  const { cluster, clock, desired, changed, said, start, stop } = source();
  cluster.addPod("a", SPEC);
  cluster.put(PODS, { metadata: { name: "odd", namespace: "default" }, spec: { nodeName: "node1" } });
  await start();
  expect(desired).toEqual([["a"]]);
  expect(said.filter((one) => one.startsWith("watch of pods: a pod of the API is left out: "))).toHaveLength(1);
  cluster.put(PODS, { metadata: { ...cluster.pod("a")?.metadata, name: "a" }, spec: { nodeName: "node1" } });
  await clock.advance(0);
  expect(changed).toEqual([]);
  await stop();
});

test("what breaks at one pod is reported as that pod's, and the others come all the same", async () => {
  const { cluster, desired, said, pods, start, stop } = source();
  for (const name of ["a", "b"]) cluster.addPod(name, SPEC);
  const { ports } = pods as unknown as { ports: { came: (pod: { metadata: { name: string } }) => void } };
  const { came } = ports;
  ports.came = (pod) => {
    if (pod.metadata.name === "a") throw new Error("no list");
    came(pod);
  };
  await start();
  expect([desired, said.slice(0, 2)]).toEqual([[["a", "b"]], ["pod default/a: no list", "came b"]]);
  await stop();
});

test("while the node may be another agent's, what comes is held back; then all of it comes at once", async () => {
  const { cluster, clock, lease, desired, changed, said, start, stop } = source();
  cluster.addPod("a", SPEC);
  lease.acts = false;
  await start();
  cluster.addPod("b", SPEC);
  await clock.advance(0);
  expect([desired, changed, said]).toEqual([[], [], []]);
  lease.acts = true;
  lease.listener();
  expect([desired, said.at(-1)]).toEqual([[["a", "b"]], "reachable"]);
  lease.listener();
  expect(desired).toHaveLength(1);
  await stop();
});

test("a node that another agent has loses its pods once; back again it has those of the API", async () => {
  const { cluster, lease, state, desired, said, start, stop } = source();
  cluster.addPod("a", SPEC);
  await start();
  lease.acts = false;
  lease.listener();
  expect(said).not.toContain("ousted");
  lease.isLost = true;
  state.hasHeld = false;
  lease.listener();
  expect(said).not.toContain("ousted");
  state.hasHeld = true;
  lease.listener();
  lease.listener();
  expect([desired, said.filter((one) => one === "ousted").length]).toEqual([[["a"], []], 1]);
  [lease.acts, lease.isLost] = [true, false];
  lease.listener();
  expect(desired).toEqual([["a"], [], ["a"]]);
  await stop();
});

test("of a pod with a status in doubt the agent's is written every ten seconds, unless one is on its way", async () => {
  const { cluster, clock, state, shown, writes, start, stop } = source();
  cluster.addPod("a", SPEC);
  const pod = { metadata: { name: "a", namespace: "default", uid: uidOf(cluster, "a") } };
  shown.set(pod.metadata.uid, pod);
  await start();
  state.isWriting = true;
  await clock.advance(10_000);
  state.isWriting = false;
  await clock.advance(9_999);
  expect(writes).toEqual([]);
  await clock.advance(1);
  expect(writes).toEqual(["write a"]);
  await clock.advance(30_000);
  expect(writes).toEqual(["write a"]);
  await stop();
});

test.each([
  ["is not here", undefined],
  ["is being deleted", { metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }],
])("nothing is written of a pod that %s", async (_name, pod) => {
  const { cluster, clock, shown, writes, start, stop } = source();
  cluster.addPod("a", SPEC);
  if (pod !== undefined) shown.set(uidOf(cluster, "a"), pod);
  await start();
  await clock.advance(20_000);
  expect(writes).toEqual([]);
  await stop();
});

test("mirrors are reconciled once all sources have delivered, and while the node is this agent's; failures are reported", async () => {
  const { clock, lease, state, said, writes, start, stop } = source();
  await start();
  await clock.advance(10_000);
  state.all = [{}, {}];
  lease.acts = false;
  await clock.advance(10_000);
  expect(writes).toEqual([]);
  lease.acts = true;
  state.fails = new ApiError(500, "", "busy");
  await clock.advance(10_000);
  expect([writes, said]).toEqual([["mirrors 2"], ["mirror pods: busy"]]);
  await stop();
});

test("a pod that had ended before the agent came, and waits for its end, is removed; a failure is reported and tried again", async () => {
  const { cluster, clock, desired, state, said, writes, start, stop } = source();
  cluster.put(PODS, {
    metadata: {
      name: "old",
      namespace: "default",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 30,
    },
    spec: { nodeName: "node1", ...SPEC },
    status: { phase: "Failed" },
  });
  state.fails = new ApiError(500, "", "busy");
  await start();
  expect([desired, writes]).toEqual([[[]], ["remove old"]]);
  await clock.advance(10_000);
  expect(writes).toEqual(["remove old", "remove old"]);
  expect(said).toEqual(["removal of pod default/old: busy", "removal of pod default/old: busy"]);
  await stop();
});

const report = (name: string, uid: string, more: object = {}) =>
  ({ pod: { metadata: { name, namespace: "default", uid, ...more } }, final: false }) as never;
const fixed = { annotations: { "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": "h" } };

test("statuses of the cluster's pods are written, those of static pods by their mirror, others not at all", async () => {
  const { cluster, lease, pods, said, writes, signal, start, stop } = source();
  cluster.addPod("a", SPEC);
  await start();
  said.length = 0;
  const uid = uidOf(cluster, "a");
  await pods.status(report("a", uid), signal);
  await pods.status(report("web", "own", fixed), signal);
  await pods.status(report("socket", "other"), signal);
  expect([writes, said]).toEqual([["write a", "mirror web"], ["status of a"]]);
  lease.isNone = true;
  await pods.status(report("a", uid), signal);
  expect(writes).toHaveLength(2);
  await stop();
});

test("a status that had to wait is the newest, unless it is the last one", async () => {
  const { cluster, lease, pods, shown, writes, signal, start, stop } = source();
  cluster.addPod("a", SPEC);
  await start();
  const uid = uidOf(cluster, "a");
  shown.set(uid, { metadata: { name: "newest", namespace: "default", uid } });
  await pods.status(report("a", uid), signal);
  lease.acts = false;
  await pods.status(report("a", uid), signal);
  await pods.status({ ...(report("a", uid) as object), final: true } as never, signal);
  shown.clear();
  await pods.status(report("a", uid), signal);
  expect(writes).toEqual(["write a", "write newest", "write a", "write a"]);
  await stop();
});

test("events go on, and a pod that is gone is forgotten; a server that is back wakes the agent", async () => {
  const { pods, said, start, stop } = source();
  pods.reachable();
  await start();
  pods.event({ reason: "Pulled" } as never);
  pods.removed("u");
  pods.reachable();
  expect(said).toEqual(["event Pulled", "gone u", "reachable"]);
  await stop();
});

test("a watch that fails is reported, and after the end nothing is left", async () => {
  const { cluster, clock, said, start, stop } = source();
  await start();
  cluster.down = true;
  cluster.cut();
  await clock.advance(5_000);
  expect(said[0]).toBe("watch of pods: nobody answers");
  await stop();
  expect(clock.pending).toBe(0);
});
