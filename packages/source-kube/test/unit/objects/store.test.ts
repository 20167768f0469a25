import { aPod, VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ObjectStore } from "../../../src/objects/store.js";
import { FakeCluster } from "../../fake-cluster.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const { signal } = new AbortController();

let clock: VirtualClock;
let cluster: FakeCluster;
let store: ObjectStore;
let reports: string[];
let changes: string[];

beforeEach(() => {
  clock = new VirtualClock();
  cluster = new FakeCluster();
  reports = [];
  changes = [];
  const { general: client, watches } = cluster.clients({}, { clock });
  const report = (where: string, error: unknown) => void reports.push(`${where}: ${(error as Error).message}`);
  store = new ObjectStore({ client, watches, clock, random: () => 0.5, report });
  store.watch(({ kind, name }) => changes.push(`${kind} ${name.namespace}/${name.name}`));
});

afterEach(() => store.stop());

const map = (name: string, value: string, more: object = {}) =>
  cluster.put(MAPS, { metadata: { name, namespace: "default" }, data: { key: value }, ...more });

/** `volume`: followed; `env`: read once per start. */
function pod(uid: string, { volume, env }: { volume?: readonly string[]; env?: readonly string[] }) {
  return {
    ...aPod({ name: uid }),
    metadata: { ...aPod({ name: uid }).metadata, uid },
    spec: {
      containers: [{ name: "c", envFrom: (env ?? []).map((name) => ({ configMapRef: { name } })) }],
      volumes: (volume ?? []).map((name) => ({ name, configMap: { name } })),
    },
  } as never;
}

const read = async (name: string): Promise<string | undefined> => {
  const reading = store.read("ConfigMap", { namespace: "default", name }, signal);
  reading.catch(() => undefined);
  await clock.advance(1_100);
  return (await reading)?.data?.key;
};
const gets = () => cluster.requests.filter(({ method }) => method === "GET").map(({ path }) => path);

test("an object of a volume is watched: reads take the watch's copy, and a change is reported", async () => {
  map("a", "1");
  store.refer(pod("p", { volume: ["a"] }));
  expect(await read("a")).toBe("1");
  map("a", "2");
  await clock.advance(10);
  expect(changes).toEqual(["ConfigMap default/a"]);
  expect(await read("a")).toBe("2");
  expect(gets()).toEqual([]);
  expect(store.watches).toBe(1);
});

test("the removal of a watched object is a change, and then there is none", async () => {
  map("a", "1");
  store.refer(pod("p", { volume: ["a"] }));
  await read("a");
  cluster.remove(MAPS, "a");
  await clock.advance(10);
  expect(changes).toEqual(["ConfigMap default/a"]);
  expect(await read("a")).toBeUndefined();
});

test("a new watch of what has not changed reports no change", async () => {
  map("a", "1");
  store.refer(pod("p", { volume: ["a"] }));
  await read("a");
  cluster.cut();
  await clock.advance(60_000);
  expect(changes).toEqual([]);
});

test("an object of variables is fetched at each read, by readers of one moment in one request", async () => {
  map("a", "1");
  store.refer(pod("p", { env: ["a"] }));
  expect(await Promise.all([read("a"), read("a"), read("a")])).toEqual(["1", "1", "1"]);
  expect(gets()).toEqual([`${MAPS}/a`]);
  map("a", "2");
  expect(await read("a")).toBe("2");
  expect(gets()).toHaveLength(2);
  expect(store.watches).toBe(0);
});

test("an object that no pod refers to is fetched; one that does not exist is undefined", async () => {
  map("other", "1");
  expect(await read("other")).toBe("1");
  expect(await read("none")).toBeUndefined();
});

test("an immutable object is watched until its first copy, then kept", async () => {
  map("a", "1", { immutable: true });
  store.refer(pod("p", { volume: ["a"] }));
  expect(await read("a")).toBe("1");
  expect(store.watches).toBe(0);
  store.refer(pod("q", { volume: ["a"] }));
  expect(store.watches).toBe(0);
  store.refer(pod("p", { env: ["a"] }));
  store.refer(pod("q", { env: ["a"] }));
  expect(await read("a")).toBe("1");
  expect(gets()).toEqual([]);
});

test("an immutable object of variables and a namespace's root certificates are fetched once", async () => {
  map("a", "1", { immutable: true });
  map("kube-root-ca.crt", "ca");
  store.refer(pod("p", { env: ["a"], volume: ["kube-root-ca.crt"] }));
  for (const name of ["a", "kube-root-ca.crt", "a", "kube-root-ca.crt"]) await read(name);
  expect(gets()).toEqual([`${MAPS}/a`, `${MAPS}/kube-root-ca.crt`]);
  expect(store.watches).toBe(0);
});

test("root certificates that do not exist yet are asked for again", async () => {
  store.refer(pod("p", { volume: ["kube-root-ca.crt"] }));
  expect(await read("kube-root-ca.crt")).toBeUndefined();
  map("kube-root-ca.crt", "ca");
  expect(await read("kube-root-ca.crt")).toBe("ca");
});

test("the watch ends with the last pod that follows the object, the entry with the last that refers to it", async () => {
  map("a", "1");
  store.refer(pod("p", { volume: ["a"] }));
  store.refer(pod("q", { volume: ["a"] }));
  store.refer(pod("r", { env: ["a"] }));
  await read("a");
  store.forget("p");
  expect(store.watches).toBe(1);
  store.forget("q");
  expect(store.watches).toBe(0);
  map("a", "2");
  expect(await read("a")).toBe("2");
  expect(gets()).toHaveLength(1);
  store.forget("r");
  store.forget("unknown");
});

test("a pod that refers to another object now lets the former go", async () => {
  map("a", "1");
  map("b", "2");
  store.refer(pod("p", { volume: ["a"] }));
  await read("a");
  store.refer(pod("p", { volume: ["b"] }));
  expect(store.watches).toBe(1);
  expect(await read("b")).toBe("2");
  map("a", "3");
  await clock.advance(10);
  expect(changes).toEqual([]);
});

test("a read waits a second for a watch that has not answered, then fetches", async () => {
  map("a", "1");
  cluster.refuses = (path) => path === MAPS;
  store.refer(pod("p", { volume: ["a"] }));
  const reading = store.read("ConfigMap", { namespace: "default", name: "a" }, signal);
  await clock.advance(999);
  expect(gets()).toEqual([]);
  await clock.advance(1);
  expect((await reading)?.data).toEqual({ key: "1" });
  expect(gets()).toEqual([`${MAPS}/a`]);
});

test("a read whose pod is stopped ends with the signal's reason", async () => {
  cluster.refuses = (path) => path === MAPS;
  store.refer(pod("p", { volume: ["a"] }));
  const stopping = new AbortController();
  const reading = store.read("ConfigMap", { namespace: "default", name: "a" }, stopping.signal);
  stopping.abort(new Error("the pod stops"));
  await expect(reading).rejects.toThrow("the pod stops");
});

test("a read without an answer of the API server fails, and the next one asks again", async () => {
  map("a", "1");
  cluster.down = true;
  await expect(read("a")).rejects.toThrow("nobody answers");
  cluster.down = false;
  expect(await read("a")).toBe("1");
});

test("a watch that fails is reported by the object's name", async () => {
  cluster.refuses = (path) => path === MAPS;
  store.refer(pod("p", { volume: ["a"] }));
  await clock.advance(100);
  expect(reports[0]).toBe("watch of ConfigMap default/a: nobody answers");
});

test("a listener that throws is reported and stops no other; one that ended is not called", async () => {
  const heard: string[] = [];
  store.watch(() => {
    throw new Error("broken");
  });
  const end = store.watch(() => void heard.push("ended"));
  store.watch(() => void heard.push("last"));
  end();
  map("a", "1");
  store.refer(pod("p", { volume: ["a"] }));
  await read("a");
  map("a", "2");
  await clock.advance(10);
  expect(heard).toEqual(["last"]);
  expect(reports).toEqual(["listener of ConfigMaps and Secrets: broken"]);
});
