/** A certificate is requested, awaited and stored, with one key for all tries of one request. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { PairStore } from "../../../src/certificates/pair-store.js";
import { requestPair } from "../../../src/certificates/request.js";
import { clientCertificate, servingCertificate, type Wanted } from "../../../src/certificates/wanted.js";
import { FakeCluster } from "../../fake-cluster.js";
import { answer, requested } from "./sign.js";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const MINUTE = 60_000;

let folder: string;
let store: PairStore;
let clock: VirtualClock;
let cluster: FakeCluster;
const stop = (): AbortController => new AbortController();

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-request-"));
  clock = new VirtualClock({ start: Date.UTC(2026, 5, 1) });
  store = new PairStore(folder, "kubelet-client", clock);
  cluster = new FakeCluster();
});

afterEach(() => rm(folder, { recursive: true }));

function request(wanted: Wanted = clientCertificate("node1"), signal = stop().signal) {
  const client = cluster.clients({}, { clock }).general;
  return requestPair({ client, clock, random: () => 0.5, store }, wanted, signal);
}

interface Signing {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly request: string; readonly signerName: string; readonly usages: readonly string[] };
}

const all = (): readonly Signing[] =>
  [...cluster.objects].filter(([key]) => key.startsWith(REQUESTS)).map(([, object]) => object as unknown as Signing);

/** Once it is there. */
async function only(): Promise<Signing> {
  while (all().length === 0 || cluster.asked.length === 0) {
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all()[0] as Signing;
}

const textOf = ({ spec }: Signing): string => Buffer.from(spec.request, "base64").toString();

function change(one: Signing, status: object): void {
  cluster.put(REQUESTS, { ...one, metadata: { ...one.metadata }, status });
}

async function sign(one: Signing, text = textOf(one)): Promise<void> {
  const certificate = Buffer.from(await answer(text)).toString("base64");
  change(one, { conditions: [{ type: "Approved", status: "True" }], certificate });
}

/** Until the work has ended. */
async function outcome<T>(work: Promise<T>, step = 0): Promise<T | Error> {
  let ended = false;
  const settled = work.then(
    (value) => value,
    (error: Error) => error,
  );
  void settled.then(() => {
    ended = true;
  });
  while (!ended) {
    await clock.advance(step);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}

test("the request is for the node's name, and what is signed is stored with its key; the key of the request goes", async () => {
  const work = request();
  const one = await only();
  expect(one).toMatchObject({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: expect.stringMatching(/^node-csr-[0-9a-f]{43}$/) },
    spec: {
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  });
  expect(await requested(textOf(one))).toEqual({ subject: "O=system:nodes, CN=system:node:node1", names: [] });
  expect(await store.pendingKey()).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
  await sign(one);
  const pair = await outcome(work);
  expect(pair).toMatchObject({ subject: ["O=system:nodes", "CN=system:node:node1"] });
  expect(await store.current()).toEqual(pair);
  expect(await store.pendingKey()).toBeUndefined();
});

test("a serving certificate is requested with the node's names and addresses", async () => {
  const wanted = servingCertificate("node1", [
    { type: "Hostname", address: "node1" },
    { type: "InternalIP", address: "192.0.2.1" },
  ]) as Wanted;
  const given = stop();
  const work = request(wanted, given.signal);
  expect((await requested(textOf(await only()))).names).toEqual([
    { type: "dns", value: "node1" },
    { type: "ip", value: "192.0.2.1" },
  ]);
  given.abort(new Error("enough"));
  expect(await outcome(work)).toEqual(new Error("enough"));
});

test("a later try has the same key and finds its earlier request, signed or not", async () => {
  const given = stop();
  const first = request(undefined, given.signal);
  const one = await only();
  given.abort(new Error("killed"));
  await outcome(first);
  const key = await store.pendingKey();
  const second = request();
  await sign(one);
  expect(await outcome(second)).toMatchObject({ key });
  expect(all()).toHaveLength(1);
});

test("other names are another request, of the same key", async () => {
  const keys: unknown[] = [];
  for (const [index, name] of ["node1", "node2"].entries()) {
    const given = stop();
    const work = outcome(request(clientCertificate(name), given.signal));
    while (all().length <= index) await new Promise((resolve) => setImmediate(resolve));
    keys.push(await store.pendingKey());
    given.abort(new Error("enough"));
    expect(await work).toEqual(new Error("enough"));
  }
  expect(new Set(all().map(({ metadata }) => metadata.name)).size).toBe(2);
  expect(keys[1]).toBe(keys[0]);
});

test.each([
  [
    "denied",
    { conditions: [{ type: "Denied", reason: "No", message: "not you" }] },
    /is denied, reason: No, message: not you$/,
  ],
  [
    "failed",
    { conditions: [{ type: "Failed", reason: "No", message: "key" }] },
    /is failed, reason: No, message: key$/,
  ],
])("a request that is %s ends, and the next one has another key", async (_name, status, message) => {
  const work = request();
  const one = await only();
  change(one, status);
  expect(await outcome(work)).toMatchObject({ status: 403, reason: "Denied", message: expect.stringMatching(message) });
  expect(await store.pendingKey()).toBeUndefined();
});

test("a request that is deleted unanswered ends, and the next one has another key", async () => {
  const work = request();
  const { name } = (await only()).metadata;
  cluster.remove(REQUESTS, name);
  expect(await outcome(work)).toMatchObject({
    status: 404,
    reason: "NotFound",
    message: `certificate signing request ${name} is gone, unanswered`,
  });
  expect(await store.pendingKey()).toBeUndefined();
});

test("a request without an answer ends after 15 minutes; the next try has the same key", async () => {
  const work = request();
  const { name } = (await only()).metadata;
  const began = clock.monotonic();
  expect(await outcome(work, MINUTE)).toMatchObject({
    status: 504,
    reason: "Timeout",
    message: `certificate signing request ${name} was not signed within 15 min`,
  });
  expect(clock.monotonic() - began).toBeLessThanOrEqual(16 * MINUTE);
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(await store.pendingKey()).toBeDefined();
});

test("a request of that name that asks for something else is no answer to this one", async () => {
  const given = stop();
  const first = request(undefined, given.signal);
  const one = await only();
  given.abort(new Error("killed"));
  await outcome(first);
  cluster.put(REQUESTS, { ...one, spec: { ...one.spec, usages: ["server auth"] }, metadata: { ...one.metadata } });
  expect(await outcome(request())).toMatchObject({
    status: 409,
    reason: "AlreadyExists",
    message: `certificate signing request ${one.metadata.name} is there and asks for something else`,
  });
  expect(await store.pendingKey()).toBeUndefined();
});

test("a server that cannot be reached ends the try, and the next one has the same key", async () => {
  cluster.down = true;
  expect(await outcome(request())).toMatchObject({ status: 0 });
  expect(await store.pendingKey()).toBeDefined();
});

test("a certificate of another key is refused, and the next request has another key", async () => {
  const given = stop();
  const other = request(clientCertificate("other"), given.signal);
  const text = textOf(await only());
  given.abort(new Error("enough"));
  await outcome(other);
  await store.dropPendingKey();
  cluster = new FakeCluster();
  const work = request();
  await sign(await only(), text);
  expect(await outcome(work)).toMatchObject({
    code: "INVALID",
    message: expect.stringContaining("another certificate"),
  });
  expect([await store.current(), await store.pendingKey()]).toEqual([undefined, undefined]);
});

test("a leftover that is no key is dropped: the next try makes one", async () => {
  await store.keepPendingKey("no key");
  expect(await outcome(request())).toBeInstanceOf(Error);
  expect([await store.pendingKey(), all()]).toEqual([undefined, []]);
});

test("an EC key of an earlier agent in PKCS#8 is used as well", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  await writeFile(path.join(folder, "kubelet-client.key.tmp"), key);
  const work = request();
  await sign(await only());
  expect(await outcome(work)).toMatchObject({ key });
});
