/** The node's certificates as an agent has them: where they lie, what is measured of them, and who hears of new ones. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { NodeIdentity } from "../../../src/certificates/identity.js";
import { PairStore } from "../../../src/certificates/pair-store.js";
import { type KubeOptions, options as schema } from "../../../src/options.js";
import { FakeCluster } from "../../fake-cluster.js";
import { answer, FROM, pairOf, UNTIL } from "./sign.js";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const NOW = FROM + 3_600_000;

let folder: string;
let clock: VirtualClock;
let cluster: FakeCluster;
let logged: unknown[];
let reports: string[];
let metrics: { families: readonly object[]; read(): unknown }[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-identity-"));
  clock = new VirtualClock({ start: NOW });
  cluster = new FakeCluster();
  [logged, reports, metrics] = [[], [], []];
  stop = new AbortController();
});

afterEach(() => rm(folder, { recursive: true }));

function identity(more: Partial<KubeOptions> = {}): NodeIdentity {
  const log = {
    info: (...all: unknown[]) => logged.push(["info", ...all]),
    warn: (...all: unknown[]) => logged.push(["warn", ...all]),
  };
  const collect = (families: readonly object[], read: () => unknown) => metrics.push({ families, read });
  return new NodeIdentity({
    ctx: { clock, log, metrics: { collect }, node: { name: "node1", rootDir: folder } } as never,
    options: schema.parse({ kubeconfig: path.join(folder, "kubelet.conf"), ...more }),
    random: () => 0,
    userAgent: "test",
    addresses: () => [{ type: "InternalIP", address: "192.0.2.1" }],
    report: (where, error) => reports.push(`${where}: ${(error as Error).message}`),
  });
}

/** Runs until `isOver`; each request is signed, unless it is to be refused. */
async function run(node: NodeIdentity, isOver: () => boolean, isRefused = false): Promise<void> {
  const ended = node.run(cluster.clients({}, { clock }).general, stop.signal);
  while (!isOver()) {
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    for (const [key, object] of cluster.objects) {
      if (!key.startsWith(REQUESTS) || object.status !== undefined) continue;
      const text = Buffer.from((object.spec as { request: string }).request, "base64").toString();
      const certificate = Buffer.from(await answer(text)).toString("base64");
      const type = isRefused ? "Denied" : "Approved";
      cluster.put(REQUESTS, { ...object, status: { conditions: [{ type }], certificate } });
    }
  }
  stop.abort(new Error("stop"));
  await ended;
}

const values = () => Object.assign({}, ...metrics.map(({ read }) => read()));

test("without rotation there is no certificate, no metric, and nothing to wait for", async () => {
  const node = identity();
  expect([node.servingCertificate, metrics]).toEqual([undefined, []]);
  await node.ready(stop.signal);
  await node.run(cluster.clients({}, { clock }).general, stop.signal);
  expect(cluster.requests).toEqual([]);
});

test("metrics are the kubelet's: seconds that are left, and failures", async () => {
  const store = new PairStore(path.join(folder, "pki"), "kubelet-client", clock);
  await store.update(await pairOf());
  const node = identity({ rotateCertificates: true, serverTLSBootstrap: true });
  const ttl = (whose: string): string =>
    `Gauge of the shortest TTL (time-to-live) of the Kubelet's ${whose} certificate. The value is in seconds until certificate expiry (negative if already expired). If ${whose} certificate is invalid or unused, the value will be +INF.`;
  const help = "Counter of certificate renewal errors.";
  expect(metrics.flatMap(({ families }) => families)).toEqual([
    { name: "kubelet_certificate_manager_client_ttl_seconds", help: ttl("client"), type: "gauge" },
    { name: "kubelet_certificate_manager_client_expiration_renew_errors", help, type: "counter" },
    { name: "kubelet_certificate_manager_server_ttl_seconds", help: ttl("serving"), type: "gauge" },
    { name: "kubelet_server_expiration_renew_errors", help, type: "counter" },
  ]);
  const before = [{ value: Number.POSITIVE_INFINITY }];
  expect(values()).toEqual({
    kubelet_certificate_manager_client_ttl_seconds: before,
    kubelet_certificate_manager_client_expiration_renew_errors: [{ value: 0 }],
    kubelet_certificate_manager_server_ttl_seconds: before,
    kubelet_server_expiration_renew_errors: [{ value: 0 }],
  });
  await run(node, () => node.servingCertificate?.current() !== undefined);
  const after = [{ value: (UNTIL - NOW) / 1_000 }];
  expect(values()).toMatchObject({
    kubelet_certificate_manager_client_ttl_seconds: after,
    kubelet_certificate_manager_server_ttl_seconds: after,
  });
});

test("a serving certificate is requested with the node's address, and the server hears of it", async () => {
  const node = identity({ serverTLSBootstrap: true });
  let [heard, more] = [0, 0];
  node.servingCertificate?.watch(() => {
    heard += 1;
  });
  const end = node.servingCertificate?.watch(() => {
    more += 1;
  });
  end?.();
  await run(node, () => heard === 2);
  expect(node.servingCertificate?.current()).toMatchObject({ subject: ["O=system:nodes", "CN=system:node:node1"] });
  expect(cluster.requests[0]?.body).toMatchObject({ spec: { signerName: "kubernetes.io/kubelet-serving" } });
  expect(logged).toEqual([
    ["info", { kind: "server", notAfter: "2027-01-01T00:00:00.000Z" }, "the node's server certificate was rotated"],
  ]);
  expect([more, reports]).toEqual([0, []]);
  expect(await readFile(path.join(folder, "pki/kubelet-server-current.pem"), "utf8")).toContain("EC PRIVATE KEY");
});

test("a client certificate lies in certDirectory; once it is rotated the credentials are read again", async () => {
  const certDirectory = path.join(folder, "certificates");
  await writeFile(
    path.join(folder, "kubelet.conf"),
    `{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"clusters":[{"name":"c","cluster":{"server":"https://192.0.2.1"}}],"users":[{"name":"u","user":{"token":"t"}}]}`,
  );
  const node = identity({ rotateCertificates: true, certDirectory });
  expect((await node.credentials.current()).cert).toBeUndefined();
  await run(node, () => logged.length > 0);
  expect(logged).toEqual([
    ["info", { kind: "client", notAfter: "2027-01-01T00:00:00.000Z" }, "the node's client certificate was rotated"],
  ]);
  const pair = await readFile(path.join(certDirectory, "kubelet-client-current.pem"), "utf8");
  expect(await node.credentials.current()).toMatchObject({ cert: pair, key: pair });
});

test("a new certificate that cannot be read back is a warning", async () => {
  const node = identity({ rotateCertificates: true });
  await run(node, () => logged.length > 1);
  expect(logged[1]).toEqual([
    "warn",
    expect.stringMatching(/^the node's new certificate cannot be read: Cannot read the kubeconfig .*kubelet\.conf/),
  ]);
});

test.each([
  ["client", { rotateCertificates: true }, "kubelet_certificate_manager_client_expiration_renew_errors"],
  ["server", { serverTLSBootstrap: true }, "kubelet_server_expiration_renew_errors"],
])("a refused %s certificate is reported and counted", async (kind, options, metric) => {
  await run(identity(options), () => reports.length > 0, true);
  expect(reports).toEqual([
    expect.stringMatching(`^rotation of the node's ${kind} certificate: certificate signing request .* is denied`),
  ]);
  expect(values()[metric]).toEqual([{ value: 1 }]);
});
