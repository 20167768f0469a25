/** Mirror pods: each static pod has one in the API, which gets its status. */
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import type { ApiPod } from "../../../src/pods/api-pod.js";
import { Mirrors } from "../../../src/pods/mirrors.js";
import { PodTable } from "../../../src/pods/pod-table.js";
import { FakeCluster } from "../../fake-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
const { signal } = new AbortController();

let cluster: FakeCluster;
let table: PodTable;
let removed: string[];
let node: { name: string; uid: string } | undefined;
let mirrors: Mirrors;

beforeEach(() => {
  cluster = new FakeCluster();
  table = new PodTable();
  removed = [];
  node = { name: "node1", uid: "node-uid" };
  mirrors = new Mirrors({
    client: cluster.clients({}, { clock: new VirtualClock() }).general,
    table,
    writer: {
      remove: async ({ metadata }: ApiPod) => {
        removed.push(metadata.uid);
        cluster.remove(PODS, metadata.name);
      },
    },
    hostIP: "192.0.2.1",
    node: () => node,
  });
});

function fixed(name: string, { hash = "h1", metadata = {} as object, status = { phase: "Running" } as object } = {}) {
  const annotations = { "kubernetes.io/config.hash": hash, "kubernetes.io/config.source": "file" };
  return {
    metadata: { name, namespace: "default", uid: `own-${name}`, annotations, ...metadata },
    spec: { containers: [{ name: "main", image: "a" }] },
    status,
  } as never;
}

/** A mirror that the API and the table have. */
function mirror(name: string, hash = "h1", metadata: object = {}): ApiPod {
  const stored = cluster.put(PODS, {
    metadata: { name, namespace: "default", annotations: { "kubernetes.io/config.mirror": hash }, ...metadata },
    spec: { containers: [] },
  }) as never as ApiPod;
  table.set(stored);
  return stored;
}

const asked = () => cluster.requests.map(({ method, path }) => `${method} ${path}`);

test("a static pod gets a mirror with its own names, owned by the node, and then its status", async () => {
  await mirrors.write({ pod: fixed("web", { metadata: { labels: { a: "b" } } }), final: false }, signal);
  expect(asked()).toEqual([`POST ${PODS}`, `PATCH ${PODS}/web/status`]);
  expect(cluster.requests[0]?.body).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "default",
      labels: { a: "b" },
      annotations: {
        "kubernetes.io/config.hash": "h1",
        "kubernetes.io/config.source": "file",
        "kubernetes.io/config.mirror": "h1",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node1", uid: "node-uid", controller: true }],
    },
    spec: { containers: [{ name: "main", image: "a" }] },
  });
  expect(cluster.requests[1]?.body).toEqual({
    metadata: { uid: cluster.pod("web")?.metadata.uid },
    status: {
      phase: "Running",
      hostIP: "192.0.2.1",
      hostIPs: [{ ip: "192.0.2.1" }, { $patch: "replace" }],
      observedGeneration: 1,
    },
  });
  expect(table.mirror("default/web")?.status).toMatchObject({ phase: "Running" });
});

test("a mirror of the same manifest gets the status alone, and nothing once it has that", async () => {
  mirror("web");
  await mirrors.write({ pod: fixed("web"), final: false }, signal);
  await mirrors.write({ pod: fixed("web"), final: false }, signal);
  expect(asked()).toEqual([`PATCH ${PODS}/web/status`]);
});

test.each<[name: string, hash: string, metadata: object]>([
  ["of another manifest", "h0", {}],
  ["that is being deleted", "h1", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
])("a mirror %s is replaced", async (_name, hash, metadata) => {
  const old = mirror("web", hash, metadata);
  await mirrors.write({ pod: fixed("web"), final: false }, signal);
  expect(removed).toEqual([old.metadata.uid]);
  expect(asked()).toEqual([`POST ${PODS}`, `PATCH ${PODS}/web/status`]);
  expect(table.mirror("default/web")?.metadata.uid).toBe(cluster.pod("web")?.metadata.uid);
});

test("while the Node is not in the API no mirror is made or replaced; one that is there gets its status", async () => {
  node = undefined;
  const old = mirror("db", "h0");
  mirror("web");
  for (const name of ["new", "db", "web"]) await mirrors.write({ pod: fixed(name), final: false }, signal);
  expect([asked(), removed]).toEqual([[`PATCH ${PODS}/web/status`], []]);
  expect(table.mirror("default/db")).toBe(old);
});

test("the last status removes the mirror of this manifest; another one's, and none, stay as they are", async () => {
  const own = mirror("web");
  mirror("db", "h0");
  for (const name of ["web", "db", "new"]) await mirrors.write({ pod: fixed(name), final: true }, signal);
  expect([removed, asked()]).toEqual([[own.metadata.uid], []]);
});

test("a mirror that the watch has not delivered yet is left for the next try", async () => {
  cluster.addPod("web", {});
  await mirrors.write({ pod: fixed("web"), final: false }, signal);
  expect([asked(), table.mirror("default/web")]).toEqual([[`POST ${PODS}`], undefined]);
});

test("a mirror that was deleted or changed meanwhile is left for the next try; other faults reject", async () => {
  mirror("web");
  cluster.conflicts = 1;
  await mirrors.write({ pod: fixed("web"), final: false }, signal);
  mirror("db");
  cluster.remove(PODS, "db");
  await mirrors.write({ pod: fixed("db"), final: false }, signal);
  cluster.down = true;
  for (const name of ["web", "new"])
    await expect(mirrors.write({ pod: fixed(name), final: false }, signal)).rejects.toBeInstanceOf(ApiError);
});

test("what the watch brought during a write is newer than its answer", async () => {
  mirror("web");
  const work = mirrors.write({ pod: fixed("web"), final: false }, signal);
  const newer = mirror("web", "h1", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  await work;
  expect(table.mirror("default/web")).toBe(newer);
});

test("in a reconcile deleted mirrors are made again, those without a static pod go, and pods that end get none", async () => {
  const lost = mirror("lost");
  mirror("ending");
  const ending = fixed("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  const other = { metadata: { name: "api", namespace: "default", uid: "api" }, spec: { containers: [] } } as never;
  await mirrors.reconcile([fixed("web"), ending, other], signal);
  expect(asked()).toEqual([`POST ${PODS}`, `PATCH ${PODS}/web/status`]);
  expect(removed).toEqual([lost.metadata.uid]);
});
