/** The first certificate of a node, and the kubeconfig that names it. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { bootstrapped } from "../../../src/certificates/bootstrap.js";
import { PairStore } from "../../../src/certificates/pair-store.js";
import { CredentialFiles } from "../../../src/client/credentials.js";
import { FakeCluster } from "../../fake-cluster.js";
import { answer, UNTIL } from "./sign.js";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const NOW = Date.UTC(2026, 5, 1);

let folder: string;
let clock: VirtualClock;
let cluster: FakeCluster;
let infos: string[];
let failures: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-bootstrap-"));
  clock = new VirtualClock({ start: NOW });
  cluster = new FakeCluster();
  [infos, failures] = [[], []];
});

afterEach(() => rm(folder, { recursive: true }));

const at = (name: string): string => path.join(folder, name);

async function begin(more: object = {}, signal = new AbortController().signal) {
  const bootstrapKubeconfig = at("bootstrap.conf");
  await writeFile(
    bootstrapKubeconfig,
    JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://192.0.2.1:6443", ...more } }],
      users: [{ name: "u", user: { token: "boot" } }],
    }),
  );
  const kubeconfig = at("made/kubelet.conf");
  const store = new PairStore(at("pki"), "kubelet-client", clock);
  return bootstrapped(
    {
      clock,
      random: () => 0,
      nodeName: "node1",
      kubeconfig,
      bootstrapKubeconfig,
      store,
      credentials: new CredentialFiles(kubeconfig, clock),
      client: cluster.clients({}, { clock }).general,
      info: (text) => infos.push(text),
      failed: (error) => failures.push((error as Error).message),
    },
    signal,
  );
}

/** Signs each request that comes, until the work has ended. */
async function signing(work: Promise<void>, step: number, until = UNTIL): Promise<Error | undefined> {
  let end: Error | "well" | undefined;
  void work.then(
    () => {
      end = "well";
    },
    (error: Error) => {
      end = error;
    },
  );
  while (end === undefined) {
    await clock.advance(step);
    await new Promise((resolve) => setImmediate(resolve));
    for (const [key, object] of cluster.objects) {
      if (!key.startsWith(REQUESTS) || object.status !== undefined) continue;
      const text = Buffer.from((object.spec as { request: string }).request, "base64").toString();
      const certificate = Buffer.from(await answer(text, until)).toString("base64");
      cluster.put(REQUESTS, { ...object, status: { conditions: [{ type: "Approved" }], certificate } });
    }
  }
  return end === "well" ? undefined : end;
}

const written = async () => parse(await readFile(at("made/kubelet.conf"), "utf8"));

test("the kubeconfig has the bootstrap's server and names the new pair, for its owner alone", async () => {
  expect(await signing(begin(), 0)).toBeUndefined();
  const pair = at("pki/kubelet-client-current.pem");
  expect(await written()).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster: { server: "https://192.0.2.1:6443" } }],
    contexts: [
      {
        name: "default-context",
        context: { cluster: "default-cluster", namespace: "default", user: "default-auth" },
      },
    ],
    "current-context": "default-context",
    users: [{ name: "default-auth", user: { "client-certificate": pair, "client-key": pair } }],
  });
  expect((await stat(at("made/kubelet.conf"))).mode & 0o777).toBe(0o600);
  expect(infos).toEqual(["Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file"]);
  expect(failures).toEqual([]);
});

test.each<[name: string, given: () => object, expected: () => object]>([
  [
    "an authority in the file",
    () => ({ "certificate-authority-data": Buffer.from("PEM").toString("base64"), "tls-server-name": "api" }),
    () => ({ "certificate-authority-data": Buffer.from("PEM").toString("base64"), "tls-server-name": "api" }),
  ],
  [
    "an authority in a file of its own, whose path is absolute",
    () => ({ "certificate-authority": "ca.crt" }),
    () => ({ "certificate-authority": at("ca.crt") }),
  ],
  ["no authority at all", () => ({ "insecure-skip-tls-verify": true }), () => ({ "insecure-skip-tls-verify": true })],
])("of its cluster it keeps %s", async (_name, given, expected) => {
  await writeFile(at("ca.crt"), "PEM");
  await signing(begin(given()), 0);
  expect((await written()).clusters).toEqual([
    { name: "default-cluster", cluster: { server: "https://192.0.2.1:6443", ...expected() } },
  ]);
});

test("with a kubeconfig whose certificate holds nothing is requested; one that is over is requested again", async () => {
  await signing(begin(), 0);
  const before = cluster.requests.length;
  await begin();
  expect([cluster.requests.length, infos.length]).toEqual([before, 1]);
  cluster.objects.clear();
  await clock.advance(UNTIL - NOW);
  expect(await signing(begin(), 0, UNTIL + 100_000)).toBeUndefined();
  expect([cluster.requests.length > before, infos.length]).toEqual([true, 2]);
});

test("a kubeconfig with a token in place of a certificate is used as it is", async () => {
  await signing(begin(), 0);
  const config = await written();
  config.users[0].user = { token: "secret" };
  await writeFile(at("made/kubelet.conf"), JSON.stringify(config));
  const before = cluster.requests.length;
  await begin();
  expect(cluster.requests).toHaveLength(before);
});

test("failures in a row are reported once, with doubling waits, until a request comes through", async () => {
  cluster.down = true;
  const work = begin();
  const ended = signing(work, 1_000);
  // Requests begin once the files are read, which takes as long as the disk takes.
  while (failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const failedAt = clock.now();
  while (clock.now() < failedAt + 20_000) await new Promise((resolve) => setImmediate(resolve));
  cluster.down = false;
  expect(await ended).toBeUndefined();
  expect(failures).toEqual(["nobody answers"]);
  expect(infos).toHaveLength(1);
});

test("a certificate that is over by this machine's clock is no use, and reported", async () => {
  const given = new AbortController();
  const ended = signing(begin({}, given.signal), 0, NOW - 1);
  while (failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
  given.abort(new Error("enough"));
  expect(await ended).toEqual(new Error("enough"));
  expect(failures).toEqual([
    "the certificate that was signed cannot be used: expected one that holds now, by this machine's clock",
  ]);
});
