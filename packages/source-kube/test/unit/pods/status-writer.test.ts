/** A server that is slow to take statuses of a pod: it gets one after the other, in virtual time. */
import { sleep } from "@hooklet/core";
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import type { KubeClients } from "../../../src/kube-clients.js";
import { createKubePlugin } from "../../../src/plugin.js";
import { Turns } from "../../../src/pods/status-writer.js";
import { FakeCluster } from "../../fake-cluster.js";

let cluster: FakeCluster;
/** Milliseconds until the server has taken a write of a pod. */
let slow: number;
/** `PATCH /api/v1/...` of pods: how many in all, and the most of one pod at the same moment. */
let begun: string[];
let most: number;
const open = new Map<string, number>();

const POD = "/api/v1/namespaces/default/pods";
const phase = (name: string) => (cluster.pod(name)?.status as { phase?: string } | undefined)?.phase;

function clients(options: unknown, parts: Parameters<FakeCluster["clients"]>[1]): KubeClients {
  const all = cluster.clients(options, parts);
  const late = async <T>(what: string, path: string, write: () => Promise<T>): Promise<T> => {
    if (!path.startsWith(POD)) return write();
    const now = (open.get(path) ?? 0) + 1;
    open.set(path, now);
    begun.push(`${what} ${path}`);
    most = Math.max(most, now);
    await sleep(parts.clock, slow);
    open.set(path, now - 1);
    return write();
  };
  const statuses: KubeClients["statuses"] = {
    ...all.statuses,
    patch: (path, body, given) => late("PATCH", path, () => all.statuses.patch(path, body, given)),
    delete: (path, body, given) => late("DELETE", path, () => all.statuses.delete(path, body, given)),
  };
  return { ...all, statuses };
}

const start = (): Promise<TestAgent> =>
  startTestAgent({ plugins: [[createKubePlugin({ random: () => 0.5, clients }), { kubeconfig: "/unused" }]] });

beforeEach(() => {
  [cluster, slow, begun, most] = [new FakeCluster(), 25_000, [], 0];
  open.clear();
});

test("a status that the server takes its time over is sent once, and the next one after it, whatever the watch delivers meanwhile", async () => {
  const agent = await start();
  cluster.addPod("web", { containers: [aContainer({ name: "main", image: "web:1" })] });
  await agent.waitFor(() => begun.length === 1, 60_000);
  for (let times = 0; times < 6; times += 1) {
    const pod = cluster.pod("web");
    cluster.put(POD, { ...pod, metadata: { ...pod?.metadata, name: "web", annotations: { times: `${times}` } } });
    await agent.advance(8_000);
  }
  await agent.waitFor(() => phase("web") === "Running", 120_000);
  await agent.advance(60_000);
  expect([phase("web"), most]).toEqual(["Running", 1]);
});

test("an object that is left to go is asked to go once while the server thinks about it", async () => {
  const deletionTimestamp = "2026-01-01T00:00:30Z";
  cluster.put(POD, {
    metadata: { name: "old", namespace: "default", deletionTimestamp, deletionGracePeriodSeconds: 30 },
    spec: { nodeName: "node1", containers: [aContainer({ name: "main", image: "web:1" })] },
    status: { phase: "Succeeded" },
  });
  const agent = await start();
  await agent.waitFor(() => cluster.pod("old") === undefined, 120_000);
  await agent.advance(60_000);
  expect(begun).toEqual([`DELETE ${POD}/old`]);
});

test("of the writes of one pod the next begins when the one before has ended, well or not; another pod's wait for none", async () => {
  const writes = new Turns();
  const { signal } = new AbortController();
  const said: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const write = (uid: string, name: string, cut = signal): Promise<void> =>
    writes.run(uid, cut, () => {
      said.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const given = new AbortController();
  const first = write("a", "first");
  const waiting = [write("a", "second"), write("a", "third")];
  const aborted = write("a", "aborted", given.signal);
  void write("b", "other");
  given.abort(new Error("too late"));
  await expect(aborted).rejects.toThrow("too late");
  expect([said, writes.has("a"), writes.has("c")]).toEqual([["first", "other"], true, false]);
  ends.get("first")?.(new Error("refused"));
  await expect(first).rejects.toThrow("refused");
  await turn();
  expect(said).toEqual(["first", "other", "second"]);
  ends.get("second")?.();
  await turn();
  expect(said).toEqual(["first", "other", "second", "third"]);
  ends.get("third")?.();
  await Promise.all(waiting);
  expect([writes.has("a"), writes.has("b")]).toEqual([false, true]);
});
