/** The node's certificates over real TLS: the first, and those that follow. */
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, sleep, systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { NodeIdentity } from "../../../src/certificates/identity.js";
import { readPair } from "../../../src/certificates/pair.js";
import { PairStore } from "../../../src/certificates/pair-store.js";
import { requestPair } from "../../../src/certificates/request.js";
import { clientCertificate } from "../../../src/certificates/wanted.js";
import { CredentialFiles } from "../../../src/client/credentials.js";
import { createClient, createClients } from "../../../src/kube-clients.js";
import { type KubeOptions, options as schema } from "../../../src/options.js";
import { until } from "../until.js";
import { isOfKey, SigningApi } from "./signing-api.js";

jest.setTimeout(180_000);

let api: SigningApi;
let folder: string;
let stopping: AbortController;
let reports: string[];
/** What the log says of no trouble. */
let recorded: string[];
/** Of the Node in the API. */
let addresses: { type: string; address: string }[];
const endings: (() => unknown)[] = [];

/** Milliseconds by which the agent's clock is ahead of the server's. */
let ahead: number;

/** Real time; back-offs are a hundred times as fast, deadlines are not. */
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + ahead,
  schedule: (ms, run) => systemClock.schedule(ms > 1_000 && ms < 20_000 ? ms / 100 : ms, run),
};

beforeEach(async () => {
  api = new SigningApi();
  await api.start();
  folder = await mkdtemp(join(tmpdir(), "hooklet-pki-"));
  stopping = new AbortController();
  reports = [];
  recorded = [];
  ahead = 0;
  addresses = [
    { type: "Hostname", address: "node1" },
    { type: "InternalIP", address: "192.0.2.10" },
  ];
});

afterEach(async () => {
  stopping.abort(new Error("stop"));
  for (const end of endings.splice(0)) await end();
  await api.stop();
  await rm(folder, { recursive: true });
});

async function identity(more: Partial<KubeOptions> = {}, name = "node1"): Promise<NodeIdentity> {
  const bootstrapKubeconfig = join(folder, "bootstrap.conf");
  await writeFile(bootstrapKubeconfig, api.kubeconfig({ token: "boot" }));
  const given = { kubeconfig: join(folder, "kubelet.conf"), bootstrapKubeconfig, certDirectory: join(folder, "pki") };
  const log = { info: (_: unknown, text: string) => recorded.push(text), warn: (text: string) => reports.push(text) };
  const metrics = { collect: () => undefined };
  return new NodeIdentity({
    ctx: { clock, log, metrics, node: { name, ip: "192.0.2.10", rootDir: folder } } as never,
    options: schema.parse({ ...given, ...more }),
    random: () => 0.5,
    userAgent: "test",
    addresses: () => addresses,
    report: (where, error) => reports.push(`${where}: ${(error as Error).message}`),
  });
}

function connected(node: NodeIdentity) {
  const rates = { kubeAPIQPS: 50, kubeAPIBurst: 100, eventRecordQPS: 50, eventBurst: 100 };
  const clients = createClients(rates, { credentials: node.credentials, clock, userAgent: "test" });
  endings.push(() => clients.close());
  return clients;
}

/** The agent's clock stands at this part of the client certificate's life, and goes on. What is signed from now on lives twice as long. */
async function at(part: number): Promise<void> {
  const pem = await readFile(join(folder, "pki/kubelet-client-current.pem"));
  const { validFrom, validTo } = new X509Certificate(pem);
  const from = Date.parse(validFrom);
  ahead = from + part * (Date.parse(validTo) - from) - Date.now();
  api.life = 7_200_000;
}

const serialOf = async (file: string) =>
  new X509Certificate(readPair(await readFile(file, "utf8"), file).cert).serialNumber;

test("a node without kubeconfig asks with its bootstrap token, waits until it is signed, and writes the kubeconfig and the pair, both 0600", async () => {
  const node = await identity();
  const ready = node.ready(stopping.signal);
  await until(() => api.pending.length === 1);
  const [request] = api.pending;
  expect(request?.spec).toMatchObject({
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "client auth"],
  });
  expect(existsSync(join(folder, "kubelet.conf"))).toBe(false);
  await api.approve();
  await ready;
  const pair = join(folder, "pki/kubelet-client-current.pem");
  for (const file of [join(folder, "kubelet.conf"), pair]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readlink(pair)).toMatch(/^kubelet-client-\d{4}(-\d\d){5}\.pem$/);
  expect(await readFile(join(folder, "kubelet.conf"), "utf8")).toContain(`client-certificate: ${pair}`);
  expect((await readdir(join(folder, "pki"))).filter((name) => name.endsWith("tmp"))).toEqual([]);
  const { who } = await connected(node).general.get<{ who: string }>("/api/v1/nodes");
  expect(who).toMatch(/^system:node:node1 /);
  expect(reports).toEqual([]);
});

test("an agent that is killed while it waits finds its own request again, and asks for no second one", async () => {
  const first = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  stopping.abort(new Error("killed"));
  await expect(first).rejects.toThrow("killed");
  stopping = new AbortController();
  const second = (await identity()).ready(stopping.signal);
  await until(() => api.asked.filter((one) => one.startsWith("GET")).length >= 2);
  await api.approve();
  await second;
  expect(api.requests.size).toBe(1);
});

test("a bootstrap requests a certificate, whatever pair is in the folder: it may be another cluster's", async () => {
  const ready = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  const pair = join(folder, "pki/kubelet-client-current.pem");
  const old = await serialOf(pair);
  await rm(join(folder, "kubelet.conf"));
  const again = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await again;
  expect(await serialOf(pair)).not.toBe(old);
  expect(existsSync(join(folder, "kubelet.conf"))).toBe(true);
});

test("a denied request is reported once, and repeated with another key", async () => {
  const ready = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  api.deny();
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  expect(reports).toEqual([
    expect.stringMatching(
      /^bootstrap of the node's certificate: certificate signing request node-csr-\w+ is denied, reason: No, message: not you$/,
    ),
  ]);
  expect(api.requests.size).toBe(2);
});

test("a certificate of another key is reported once, and requested again with a fresh key", async () => {
  const ready = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  api.mixesKeys = true;
  await api.approve();
  await until(() => api.pending.length === 1);
  api.mixesKeys = false;
  await api.approve();
  await ready;
  expect(reports).toEqual([expect.stringContaining("the key of another certificate")]);
  expect(api.requests.size).toBe(2);
});

test("a list from before the request does not mean that the request is gone", async () => {
  api.isStale = true;
  const ready = (await identity()).ready(stopping.signal);
  const watched = () => api.asked.some((one) => one.startsWith("GET"));
  await until(() => api.pending.length === 1 && watched());
  await sleep(systemClock, 100);
  await api.approve();
  await ready;
  expect([api.requests.size, reports]).toEqual([1, []]);
});

test("a server that answers with 500 or 429 at first costs a bootstrap time, and nothing else; each error is reported once", async () => {
  api.faults.push(500, 500, 429);
  const ready = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  expect(reports).toHaveLength(1);
  expect(recorded).toEqual(["Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file"]);
});

test("a kubeconfig whose certificate is over is replaced by way of the bootstrap", async () => {
  const first = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await first;
  await at(1.01);
  const second = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await second;
  expect(api.requests.size).toBe(2);
});

test("the next certificate is asked for after 70 to 90 % of a life, by the old one; every connection then stands on the new one, streams too", async () => {
  const node = await identity({ rotateCertificates: true });
  const ready = node.ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  const pair = join(folder, "pki/kubelet-client-current.pem");
  const old = await serialOf(pair);
  const clients = connected(node);
  const stream = await clients.watches.stream("/api/v1/pods", { watch: true }, stopping.signal);
  let ended = "open";
  const reading = (async () => {
    for await (const _ of stream);
    ended = "ended in order";
  })();
  await at(0.79);
  void node.run(clients.general, stopping.signal);
  // It looks ten times a second.
  await sleep(systemClock, 500);
  expect(api.pending).toEqual([]);
  await at(0.81);
  await until(() => api.pending.length === 1);
  expect(api.asked.filter((one) => one.startsWith("POST")).at(-1)).toContain(`system:node:node1 ${old}`);
  await api.approve();
  await reading;
  expect(ended).toBe("ended in order");
  const fresh = await serialOf(pair);
  expect(fresh).not.toBe(old);
  for (const client of [clients.general, clients.heartbeat, clients.events]) {
    expect((await client.get<{ who: string }>("/x")).who).toBe(`system:node:node1 ${fresh}`);
  }
  expect(reports).toEqual([]);
});

test("a rotation that fails is reported once, retried, and leaves the old certificate in use", async () => {
  const node = await identity({ rotateCertificates: true });
  const ready = node.ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  const clients = connected(node);
  await at(0.81);
  api.faults.push(500, 500, 500);
  void node.run(clients.general, stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await until(() => !api.pending.length && reports.length > 0);
  expect(reports).toEqual([expect.stringContaining("rotation of the node's client certificate")]);
});

test("a serving certificate is requested once the Node has addresses, names those, is passed to the server, and is not requested again when a signer leaves names out", async () => {
  const node = await identity({ serverTLSBootstrap: true });
  const ready = node.ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  const { servingCertificate } = node;
  let changes = 0;
  servingCertificate?.watch(() => {
    changes += 1;
  });
  api.dropsNames = true;
  const there = addresses.splice(0);
  void node.run(connected(node).general, stopping.signal);
  await sleep(systemClock, 50);
  expect(api.pending).toEqual([]);
  addresses.push(...there);
  await until(() => api.pending.length === 1);
  expect(servingCertificate?.current()).toBeUndefined();
  expect(api.pending[0]?.spec).toMatchObject({
    signerName: "kubernetes.io/kubelet-serving",
    usages: ["digital signature", "server auth"],
  });
  const before = changes;
  await api.approve();
  await until(() => servingCertificate?.current() !== undefined);
  expect(changes).toBe(before + 1);
  const { cert, key } = servingCertificate?.current() ?? { cert: "", key: "" };
  expect(isOfKey(cert, key)).toBe(true);
  await sleep(systemClock, 500);
  expect(api.requests.size).toBe(2);
});

test("a serving certificate is requested again when the node has another address, and served once it is signed", async () => {
  const node = await identity({ serverTLSBootstrap: true });
  const ready = node.ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  void node.run(connected(node).general, stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  const names = () => new X509Certificate(node.servingCertificate?.current()?.cert ?? "").subjectAltName;
  await until(() => node.servingCertificate?.current() !== undefined);
  expect(names()).toBe("DNS:node1, IP Address:192.0.2.10");
  addresses.push({ type: "InternalIP", address: "192.0.2.11" });
  await until(() => api.pending.length === 1);
  expect(api.pending[0]?.spec.signerName).toBe("kubernetes.io/kubelet-serving");
  await api.approve();
  await until(() => names() !== "DNS:node1, IP Address:192.0.2.10");
  expect(names()).toBe("DNS:node1, IP Address:192.0.2.10, IP Address:192.0.2.11");
});

test("the names of a request are those of its certificate", async () => {
  const store = new PairStore(join(folder, "pki"), "kubelet-server", clock);
  await writeFile(join(folder, "boot"), api.kubeconfig({ token: "boot" }));
  const credentials = new CredentialFiles(join(folder, "boot"), clock);
  const { client, close } = createClient({ credentials, clock, userAgent: "test" });
  endings.push(close);
  const wanted = {
    ...clientCertificate("node1"),
    dnsNames: ["node1"],
    ipAddresses: ["192.0.2.10", "fd00::1"],
  };
  const asked = requestPair({ client, clock, random: () => 0, store }, wanted, stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  expect(await asked).toMatchObject({ dnsNames: ["node1"], ipAddresses: ["192.0.2.10", "fd00::1"] });
});

test.each([
  { name: "on a clock that goes on", steps: [1, 1, 1, 1], kept: ["2026-01-01-00-00-03", "2026-01-01-00-00-04"] },
  { name: "on a clock that was set back", steps: [1, 1, -3_600], kept: ["2025-12-31-23-00-02", "2026-01-01-00-00-02"] },
])("of the files of a certificate the current one and the one before stay, $name", async ({ steps, kept }) => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const store = new PairStore(join(folder, "pki"), "kubelet-client", { now: () => now });
  await writeFile(join(folder, "boot"), api.kubeconfig({ token: "boot" }));
  const { client, close } = createClient({
    credentials: new CredentialFiles(join(folder, "boot"), clock),
    clock,
    userAgent: "test",
  });
  endings.push(close);
  for (const step of steps) {
    now += step * 1_000;
    const asked = requestPair({ client, clock, random: () => 0, store }, clientCertificate("node1"), stopping.signal);
    await until(() => api.pending.length === 1);
    await api.approve();
    await asked;
  }
  expect((await readdir(join(folder, "pki"))).sort()).toEqual([
    ...kept.map((date) => `kubelet-client-${date}.pem`),
    "kubelet-client-current.pem",
  ]);
  expect(await store.current()).toBeDefined();
});

test.each([
  { name: "an empty one", pair: async () => "" },
  { name: "half of one", pair: async () => "-----BEGIN CERTIFICATE-----\nhalf" },
  {
    name: "one that is over",
    pair: () => {
      api.life = -1_000;
      return api.pair("CN=system:node:node1");
    },
  },
])(
  "a pair that cannot be used ($name) is no credential: the kubeconfig's own count until there is another one",
  async ({ pair }) => {
    await writeFile(join(folder, "conf"), api.kubeconfig({ token: "boot" }));
    await writeFile(join(folder, "pair.pem"), await pair());
    const credentials = new CredentialFiles(join(folder, "conf"), clock, join(folder, "pair.pem"));
    expect(await credentials.current()).toMatchObject({ token: "boot" });
    expect((await credentials.current()).cert).toBeUndefined();
  },
);

test("a node that was renamed asks for a certificate of its name, with the bootstrap token", async () => {
  const ready = (await identity()).ready(stopping.signal);
  await until(() => api.pending.length === 1);
  await api.approve();
  await ready;
  const renamed = await identity({ rotateCertificates: true }, "node2");
  await renamed.ready(stopping.signal);
  const { general } = connected(renamed);
  void renamed.run(general, stopping.signal);
  await until(() => api.pending.length === 1);
  expect(api.asked.filter((one) => one.startsWith("POST")).at(-1)).toMatch(/ bootstrap$/);
  await api.approve();
  const who = async () => (await general.get<{ who: string }>("/x")).who;
  while (!(await who()).startsWith("system:node:node2 ")) await sleep(systemClock, 5);
});

test("a token that the server no longer accepts is read again from its file, and the request repeated with it", async () => {
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "old");
  await writeFile(join(folder, "conf"), api.kubeconfig({ tokenFile }));
  const credentials = new CredentialFiles(join(folder, "conf"), clock);
  const { client, close } = createClient({ credentials, clock, userAgent: "test" });
  endings.push(close);
  await expect(client.get("/x")).rejects.toMatchObject({ status: 401 });
  await credentials.current();
  await writeFile(tokenFile, "boot");
  expect(await client.get("/x")).toEqual({ who: "bootstrap" });
});
