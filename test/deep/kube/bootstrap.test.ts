/** A node that comes with a token alone: its first certificate, the next one, and that of its server, all from the cluster. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { kubectl, Place, pod, say } from "./cluster.js";
import { AUTHORITY, kubeconfigOf, PKI } from "./cluster-files.js";
import { HookletNode } from "./nodes.js";

const TOKEN = { id: "hookl1", secret: "0123456789abcdef" };
const GROUP = "system:bootstrappers:hooklet";

describe("a node with a bootstrap token", () => {
  let node: HookletNode;
  let place: Place;
  let folder: string;
  const current = (): string => path.join(folder, "pki/kubelet-client-current.pem");
  const subject = (file: string): string =>
    execFileSync("openssl", ["x509", "-noout", "-subject", "-issuer", "-enddate", "-in", file], { encoding: "utf8" });

  beforeAll(async () => {
    place = await Place.create("bootstrap");
    await kubectl(
      ...["create", "secret", "generic", `bootstrap-token-${TOKEN.id}`, "--namespace=kube-system"],
      "--type=bootstrap.kubernetes.io/token",
      `--from-literal=token-id=${TOKEN.id}`,
      `--from-literal=token-secret=${TOKEN.secret}`,
      "--from-literal=usage-bootstrap-authentication=true",
      `--from-literal=auth-extra-groups=${GROUP}`,
    );
    await place.apply(
      binding("hooklet-bootstrap", "system:node-bootstrapper", GROUP),
      binding("hooklet-first", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", GROUP),
      binding("hooklet-next", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"),
    );
    node = await HookletNode.create("newcomer");
    folder = path.join(node.folder, "own");
    mkdirSync(folder);
    const config = path.join(node.folder, "hookletrc.json");
    const rc = JSON.parse(readFileSync(config, "utf8")) as { sources: object; server: object };
    const { tlsCertFile: _, tlsPrivateKeyFile: __, ...server } = rc.server as Record<string, unknown>;
    const bootstrapKubeconfig = path.join(folder, "bootstrap.conf");
    const user = { token: `${TOKEN.id}.${TOKEN.secret}` };
    writeFileSync(bootstrapKubeconfig, kubeconfigOf(user), { mode: 0o600 });
    const kube = {
      kubeconfig: path.join(folder, "kubelet.conf"),
      bootstrapKubeconfig,
      certDirectory: path.join(folder, "pki"),
      rotateCertificates: true,
      serverTLSBootstrap: true,
    };
    writeFileSync(config, JSON.stringify({ ...rc, server, sources: { kube } }), { mode: 0o600 });
  }, 120_000);

  afterAll(async () => {
    await place?.remove();
    await node?.remove();
  }, 120_000);

  test("joins: what it was given is a token, what it has then are its own key and certificate, 0600", async () => {
    const began = Date.now();
    await node.start();
    say(`from a token to Ready: ${Date.now() - began} ms`);
    expect(subject(current())).toMatch(/O = system:nodes, CN = system:node:newcomer/);
    for (const file of [current(), path.join(folder, "kubelet.conf")]) expect(statSync(file).mode & 0o777).toBe(0o600);
  }, 120_000);

  test("its server's certificate is signed once it is approved, and the API server trusts it then", async () => {
    await place.apply(pod("web", { command: ["sh", "-c", "echo hello; sleep 3600"] }, { nodeName: "newcomer" }));
    await until("the pod runs", async () => (await place.pod("web"))?.status.phase === "Running", 60);
    await expect(place.kubectl("logs", "web")).rejects.toThrow(/x509|certificate/);
    const names = async (): Promise<readonly string[]> =>
      (JSON.parse(await kubectl("get", "csr", "-o", "json")) as { items: readonly Csr[] }).items
        .filter(({ spec, status }) => spec.signerName === "kubernetes.io/kubelet-serving" && !status.conditions)
        .map(({ metadata }) => metadata.name);
    await until("the request is there", async () => (await names()).length > 0);
    await kubectl("certificate", "approve", ...(await names()));
    await until("its log is read", async () => (await place.kubectl("logs", "web").catch(() => "")) === "hello\n", 60);
  }, 180_000);

  test("a certificate that has lived for most of its time is followed by the next one, while the node works on", async () => {
    await node.end("SIGTERM");
    agedBy365Days(current());
    const old = realpathSync(current());
    const began = Date.now();
    await node.start();
    await until("there is another certificate", async () => realpathSync(current()) !== old, 60);
    say(`rotated ${Date.now() - began} ms after the start`);
    expect(subject(current())).toMatch(/CN = system:node:newcomer/);
    const restarted = new Date();
    await until("the node says so with it", () => node.isReady(restarted), 60);
    expect(node.log).not.toMatch(/Unauthorized/);
    expect(readdirSync(path.dirname(current())).filter((name) => name.endsWith("tmp"))).toEqual([]);
  }, 180_000);
});

interface Csr {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly signerName: string };
  readonly status: { readonly conditions?: readonly unknown[] };
}

function binding(name: string, role: string, group: string): object {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
  };
}

/** The same key with a certificate of the cluster's authority that began a year ago and ends tomorrow. */
function agedBy365Days(pem: string): void {
  const work = path.join(path.dirname(pem), "aging");
  mkdirSync(work);
  const at = (name: string): string => path.join(work, name);
  const date = (days: number): string =>
    `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  writeFileSync(at("index.txt"), "");
  writeFileSync(at("serial"), "4242\n");
  writeFileSync(
    at("ca.cnf"),
    [
      "[ca]\ndefault_ca = own",
      `[own]\ndatabase = ${at("index.txt")}\nserial = ${at("serial")}\nnew_certs_dir = ${work}`,
      "default_md = sha256\npolicy = any\nx509_extensions = client\nunique_subject = no",
      "[any]\norganizationName = supplied\ncommonName = supplied",
      "[client]\nextendedKeyUsage = clientAuth",
    ].join("\n"),
  );
  const openssl = (...words: readonly string[]) =>
    execFileSync("openssl", words, { stdio: ["ignore", "ignore", "pipe"] });
  openssl("req", "-new", "-key", pem, "-subj", "/O=system:nodes/CN=system:node:newcomer", "-out", at("csr"));
  const period = ["-startdate", date(-365), "-enddate", date(1)];
  const authority = ["-cert", AUTHORITY, "-keyfile", path.join(PKI, "ca.key")];
  openssl(
    "ca",
    "-batch",
    "-notext",
    "-config",
    at("ca.cnf"),
    ...authority,
    ...period,
    "-in",
    at("csr"),
    "-out",
    at("crt"),
  );
  const key = /-----BEGIN EC PRIVATE KEY-----[^-]+-----END EC PRIVATE KEY-----/.exec(readFileSync(pem, "utf8"))?.[0];
  writeFileSync(realpathSync(pem), `${readFileSync(at("crt"), "utf8").trim()}\n${key}\n`, { mode: 0o600 });
  execFileSync("rm", ["-r", work]);
}
