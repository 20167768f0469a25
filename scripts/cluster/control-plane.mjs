// The control plane as static pods, with the flags that kubeadm writes. Image `host`: hooklet's process runtime runs the programs as they are.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const BIN = "/opt/kubernetes";
const PKI = "/etc/kubernetes/pki";
const ETCD = "/var/lib/etcd";
const AUDIT = "/var/log/kubernetes";

/** Each request of a node once, when it is answered or, for a watch, ends. */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", userGroups: ["system:nodes"] }, { level: "None" }],
};

/** `audit`: the API server writes down what nodes ask of it. */
export function writeControlPlane(at, programs, { audit = false } = {}) {
  for (const folder of [at.etcd, at.manifests, at.audit]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (audit) writeFileSync(path.join(at.audit, "policy.json"), JSON.stringify(AUDIT_POLICY));
  const pods = [etcd(), apiServer(at, audit), controllerManager(at), scheduler(at)];
  for (const { name, flags, health, volumes } of pods) {
    const pod = staticPod({
      name,
      program: programs[name],
      flags,
      health,
      volumes: { [PKI]: at.pki, ...volumes?.(at) },
    });
    writeFileSync(path.join(at.manifests, `${name}.json`), JSON.stringify(pod, null, 2), { mode: 0o600 });
  }
}

function staticPod({ name, program, flags, health, volumes }) {
  const probe = (periodSeconds, failureThreshold, where) => ({
    httpGet: { host: health.host, port: health.port, scheme: health.scheme ?? "HTTPS", path: where },
    periodSeconds,
    failureThreshold,
    timeoutSeconds: 15,
  });
  const mounts = Object.keys(volumes).map((mountPath, i) => ({ name: `v${i}`, mountPath }));
  const container = {
    name,
    image: "host",
    command: [`${BIN}/${path.basename(program)}`, ...flags],
    // Kubernetes' programs size their pools by the memory and processors that they see.
    resources: { requests: { cpu: "100m" } },
    startupProbe: probe(1, 120, health.live),
    livenessProbe: probe(10, 8, health.live),
    readinessProbe: probe(1, 3, health.ready ?? health.live),
    volumeMounts: [{ name: "bin", mountPath: BIN, readOnly: true }, ...mounts],
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "kube-system", labels: { component: name, tier: "control-plane" } },
    spec: {
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      priority: 2_000_001_000,
      terminationGracePeriodSeconds: 5,
      containers: [container],
      volumes: [
        { name: "bin", hostPath: { path: path.dirname(program), type: "Directory" } },
        ...Object.values(volumes).map((folder, i) => ({
          name: `v${i}`,
          hostPath: { path: folder, type: "Directory" },
        })),
      ],
    },
  };
}

const words = (flags) => Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

function etcd() {
  const [clients, peers] = ["https://127.0.0.1:2379", "https://127.0.0.1:2380"];
  return {
    name: "etcd",
    volumes: (at) => ({ [ETCD]: at.etcd }),
    health: { host: "127.0.0.1", port: 2381, scheme: "HTTP", live: "/readyz" },
    flags: words({
      name: "etcd",
      "data-dir": ETCD,
      "listen-client-urls": clients,
      "advertise-client-urls": clients,
      "listen-peer-urls": peers,
      "initial-advertise-peer-urls": peers,
      "initial-cluster": `etcd=${peers}`,
      "listen-metrics-urls": "http://127.0.0.1:2381",
      "cert-file": `${PKI}/etcd-server.crt`,
      "key-file": `${PKI}/etcd-server.key`,
      "client-cert-auth": true,
      "trusted-ca-file": `${PKI}/etcd-ca.crt`,
      "peer-cert-file": `${PKI}/etcd-server.crt`,
      "peer-key-file": `${PKI}/etcd-server.key`,
      "peer-client-cert-auth": true,
      "peer-trusted-ca-file": `${PKI}/etcd-ca.crt`,
      // What is lost when the machine itself goes down is a cluster for trying things out.
      "unsafe-no-fsync": true,
    }),
  };
}

function apiServer(at, audit) {
  const auditing = { "audit-policy-file": `${AUDIT}/policy.json`, "audit-log-path": `${AUDIT}/audit.log` };
  return {
    name: "kube-apiserver",
    volumes: () => ({ [AUDIT]: at.audit }),
    health: { host: at.address, port: 6443, live: "/livez", ready: "/readyz" },
    flags: words({
      "advertise-address": at.address,
      "allow-privileged": true,
      "authorization-mode": "Node,RBAC",
      "client-ca-file": `${PKI}/ca.crt`,
      "enable-admission-plugins": "NodeRestriction",
      "enable-bootstrap-token-auth": true,
      "etcd-cafile": `${PKI}/etcd-ca.crt`,
      "etcd-certfile": `${PKI}/apiserver-etcd-client.crt`,
      "etcd-keyfile": `${PKI}/apiserver-etcd-client.key`,
      "etcd-servers": "https://127.0.0.1:2379",
      "kubelet-certificate-authority": `${PKI}/ca.crt`,
      "kubelet-client-certificate": `${PKI}/apiserver-kubelet-client.crt`,
      "kubelet-client-key": `${PKI}/apiserver-kubelet-client.key`,
      "kubelet-preferred-address-types": "InternalIP",
      "secure-port": 6443,
      "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
      "service-account-key-file": `${PKI}/sa.pub`,
      "service-account-signing-key-file": `${PKI}/sa.key`,
      "service-cluster-ip-range": at.serviceRange,
      "tls-cert-file": `${PKI}/apiserver.crt`,
      "tls-private-key-file": `${PKI}/apiserver.key`,
      ...(audit && auditing),
    }),
  };
}

function controllerManager() {
  const kubeconfig = `${PKI}/controller-manager.kubeconfig`;
  return {
    name: "kube-controller-manager",
    health: { host: "127.0.0.1", port: 10257, live: "/healthz" },
    flags: words({
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      "client-ca-file": `${PKI}/ca.crt`,
      "cluster-signing-cert-file": `${PKI}/ca.crt`,
      "cluster-signing-key-file": `${PKI}/ca.key`,
      kubeconfig,
      // There is one of each: none waits until the lease of the one before has run out.
      "leader-elect": false,
      "root-ca-file": `${PKI}/ca.crt`,
      "service-account-private-key-file": `${PKI}/sa.key`,
      "use-service-account-credentials": true,
    }),
  };
}

function scheduler() {
  const kubeconfig = `${PKI}/scheduler.kubeconfig`;
  return {
    name: "kube-scheduler",
    health: { host: "127.0.0.1", port: 10259, live: "/livez", ready: "/readyz" },
    flags: words({
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      kubeconfig,
      "leader-elect": false,
    }),
  };
}
