// Keys and certificates of a cluster, as kubeadm lays them out, made with openssl; kubeconfigs with client certificates inside.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Days from now between which certificates hold. From yesterday on: a node whose clock is behind joins a new cluster, too. */
const [FROM, TO] = [-1, 365];
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export function makePki(at) {
  mkdirSync(at.pki, { recursive: true, mode: 0o700 });
  authority(at, "ca", "/CN=kubernetes");
  authority(at, "etcd-ca", "/CN=etcd-ca");
  const serviceAccounts = path.join(at.pki, "sa");
  if (!existsSync(`${serviceAccounts}.key`)) {
    openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", `${serviceAccounts}.key`);
    openssl("pkey", "-in", `${serviceAccounts}.key`, "-pubout", "-out", `${serviceAccounts}.pub`);
  }
  const service = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const names = [...service, "localhost"].map((name) => `DNS:${name}`);
  const addresses = [at.address, at.hostAddress, at.serviceAddress, "127.0.0.1"].map((address) => `IP:${address}`);
  certificate(at, "apiserver", { subject: "/CN=kube-apiserver", usage: "serverAuth", names: [...names, ...addresses] });
  certificate(at, "apiserver-kubelet-client", { subject: "/CN=kube-apiserver-kubelet-client", usage: "clientAuth" });
  certificate(at, "etcd-server", {
    subject: "/CN=etcd",
    usage: "serverAuth,clientAuth",
    names: ["DNS:localhost", "IP:127.0.0.1"],
    by: "etcd-ca",
  });
  certificate(at, "apiserver-etcd-client", {
    subject: "/CN=apiserver-etcd-client",
    usage: "clientAuth",
    by: "etcd-ca",
  });
  client(at, "admin", "/O=system:masters/CN=kubernetes-admin", at.kubeconfig);
  client(at, "controller-manager", "/CN=system:kube-controller-manager");
  client(at, "scheduler", "/CN=system:kube-scheduler");
}

/** What a node needs to join: its kubeconfig, its server's certificate and the cluster's authority. */
export function nodeCredentials(at, name, address) {
  if (!/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name))
    throw new Error(`node name ${JSON.stringify(name)}: expected a DNS label`);
  const subject = `/O=system:nodes/CN=system:node:${name}`;
  const kubeconfig = client(at, `node-${name}`, subject);
  const serving = `serving-${name}`;
  // Its address may be another one than last time.
  for (const ending of ["crt", "key"]) rmSync(path.join(at.pki, `${serving}.${ending}`), { force: true });
  certificate(at, serving, { subject, usage: "serverAuth", names: [`DNS:${name}`, `IP:${address}`, "IP:127.0.0.1"] });
  const file = (ending) => path.join(at.pki, `${serving}.${ending}`);
  return { kubeconfig, certificate: file("crt"), key: file("key"), authority: path.join(at.pki, "ca.crt") };
}

function authority(at, name, subject) {
  const file = path.join(at.pki, name);
  if (existsSync(`${file}.crt`)) return;
  openssl("req", ...KEY, "-keyout", `${file}.key`, "-subj", subject, "-out", `${file}.csr`);
  const usage = "keyUsage=critical,keyCertSign,cRLSign,digitalSignature";
  const extensions = ["basicConstraints=critical,CA:TRUE", usage, "subjectKeyIdentifier=hash"];
  sign(at, file, ["-selfsign", "-keyfile", `${file}.key`], extensions);
}

function certificate(at, name, { subject, usage, names = [], by = "ca" }) {
  const file = path.join(at.pki, name);
  const issuer = path.join(at.pki, by);
  if (existsSync(`${file}.crt`)) return;
  openssl("req", ...KEY, "-keyout", `${file}.key`, "-subj", subject, "-out", `${file}.csr`);
  const extensions = [`extendedKeyUsage=${usage}`, ...(names.length > 0 ? [`subjectAltName=${names.join(",")}`] : [])];
  sign(at, file, ["-cert", `${issuer}.crt`, "-keyfile", `${issuer}.key`], extensions);
}

/** By `openssl ca`, the only one of its commands (up to 3.3) that sets where a certificate's time begins. */
function sign(at, file, by, extensions) {
  const work = mkdtempSync(path.join(at.pki, "signing-"));
  const config = path.join(work, "ca.cnf");
  const own = `database = ${work}/index.txt\nnew_certs_dir = ${work}\ndefault_md = sha256\npolicy = any\nunique_subject = no\nrand_serial = yes`;
  const lines = ["[ca]", "default_ca = own", "[own]", own, "[any]", "organizationName = optional"];
  writeFileSync(path.join(work, "index.txt"), "");
  writeFileSync(config, [...lines, "commonName = supplied", "[extensions]", ...extensions, ""].join("\n"));
  const period = ["-startdate", date(FROM), "-enddate", date(TO)];
  const words = ["-batch", "-notext", "-config", config, "-extensions", "extensions"];
  openssl("ca", ...words, ...period, ...by, "-in", `${file}.csr`, "-out", `${file}.crt`);
  chmodSync(`${file}.key`, 0o600);
  rmSync(`${file}.csr`);
  rmSync(work, { recursive: true });
}

/** As openssl reads it. */
function date(days) {
  const time = new Date(Date.now() + days * 86_400_000).toISOString();
  return `${time.replace(/[-:T]/g, "").slice(0, 14)}Z`;
}

function client(at, name, subject, kubeconfig = path.join(at.pki, `${name}.kubeconfig`)) {
  certificate(at, name, { subject, usage: "clientAuth" });
  const data = (file) => readFileSync(path.join(at.pki, file)).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: at.name, cluster: { server: at.server, "certificate-authority-data": data("ca.crt") } }],
    users: [
      {
        name,
        user: { "client-certificate-data": data(`${name}.crt`), "client-key-data": data(`${name}.key`) },
      },
    ],
    contexts: [{ name: at.name, context: { cluster: at.name, user: name } }],
    "current-context": at.name,
  };
  writeFileSync(kubeconfig, JSON.stringify(config, null, 2), { mode: 0o600 });
  return kubeconfig;
}

function openssl(...args) {
  execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
}
