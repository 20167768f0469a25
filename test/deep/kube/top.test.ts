/** `kubectl top`: the real metrics-server reads the node with a service account of its own, and kubectl reads metrics-server. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { until } from "../../support/agent.js";
import { Going, kubectl, Place, pod, there } from "./cluster.js";
import { AUTHORITY } from "./cluster-files.js";
import { HookletNode } from "./nodes.js";

const PORT = 14_443;
const SERVICE = "metrics-server";
const API = "v1beta1.metrics.k8s.io";

describe("metrics-server", () => {
  let node: HookletNode;
  let place: Place;
  let server: Going;

  beforeAll(async () => {
    const script = path.join(root, "scripts/metrics-server.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 600_000 });
    const { program, rbac } = JSON.parse(stdout) as { program: string; rbac: string };
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("top");
    await kubectl("apply", "-f", rbac);
    server = Going.program(program, ...(await words()));
    await place.apply(service, apiService, readers);
    const limits = { cpu: "100m", memory: "64Mi" };
    await place.apply(
      pod("busy", { command: ["sh", "-c", "while :; do :; done"], resources: { limits } }, { nodeName: "worker1" }),
      pod("idle", {}, { nodeName: "worker1" }),
    );
    await place.ready("app=busy", 1);
    await place.ready("app=idle", 1);
  }, 660_000);

  afterAll(async () => {
    // An API without a server would hold up the end of the namespace.
    await kubectl("delete", "apiservice", API, "--ignore-not-found");
    await kubectl("delete", "clusterrolebinding", "top-readers", "--ignore-not-found");
    await server?.end();
    await place?.remove();
    await node?.remove();
  }, 180_000);

  test("kubectl top shows the node, its pods and their containers", async () => {
    const top = (...given: readonly string[]): Promise<string> => place.kubectl("top", ...given, "--no-headers");
    await until(
      () => `metrics-server has read the node twice; it says: ${server.output.slice(-1500)}`,
      () =>
        top("pod", "busy").then(
          () => true,
          () => false,
        ),
      120,
    );
    const [name, cores, coresOf, memory, memoryOf] = (await top("node", "worker1")).trim().split(/\s+/);
    expect([name, coresOf, memoryOf]).toEqual([
      "worker1",
      expect.stringMatching(/^\d+%$/),
      expect.stringMatching(/^\d+%$/),
    ]);
    expect(amount(cores, "m")).toBeGreaterThan(50);
    expect(amount(memory, "Mi")).toBeGreaterThan(100);
    const pods = new Map((await top("pod", "--containers")).trim().split("\n").map(row));
    expect([...pods.keys()].sort()).toEqual(["busy main", "idle main"]);
    // It turns in place, and may not use more.
    expect(pods.get("busy main")?.cpu).toBeGreaterThan(20);
    expect(pods.get("busy main")?.cpu).toBeLessThan(150);
    expect(pods.get("idle main")?.cpu).toBeLessThan(20);
    expect(pods.get("busy main")?.memory).toBeLessThan(64);
  }, 150_000);

  test("it got what it asked of the node for", () => {
    expect(server.output).not.toMatch(/Failed to scrape node.*worker1/);
  });
});

/** With the node's certificate checked, and a token as the service account has it in a pod. */
async function words(): Promise<readonly string[]> {
  const folder = path.join(there.folder, SERVICE);
  mkdirSync(folder, { recursive: true });
  const token = (await kubectl("create", "token", SERVICE, "-n", "kube-system", "--duration=1h")).trim();
  const kubeconfig = path.join(folder, "kubeconfig");
  const authority = readFileSync(AUTHORITY).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: there.server, "certificate-authority-data": authority } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--authorization-always-allow-paths=/healthz,/livez,/readyz,/openapi/*,/apis,/apis/metrics.k8s.io,/apis/metrics.k8s.io/*",
    `--bind-address=${there.hostAddress}`,
    `--secure-port=${PORT}`,
    `--cert-dir=${folder}`,
    "--kubelet-preferred-address-types=InternalIP",
    `--kubelet-certificate-authority=${AUTHORITY}`,
    "--metric-resolution=10s",
    "--kubelet-request-timeout=5s",
  ];
}

/** It runs outside of the cluster: no cluster IP leads there. */
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: SERVICE },
  spec: { type: "ExternalName", externalName: there.hostAddress },
};

const apiService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: API },
  spec: {
    service: { name: SERVICE, namespace: "top", port: PORT },
    group: "metrics.k8s.io",
    version: "v1beta1",
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 100,
    versionPriority: 100,
  },
};

/** This API server has no certificate with which it could say for which user it asks. */
const readers = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "top-readers" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:aggregated-metrics-reader" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "system:anonymous" }],
};

function row(line: string): readonly [string, { readonly cpu: number; readonly memory: number }] {
  const [podName, container, cpu, memory] = line.trim().split(/\s+/);
  return [`${podName} ${container}`, { cpu: amount(cpu, "m"), memory: amount(memory, "Mi") }];
}

function amount(text: string | undefined, unit: string): number {
  const [, number] = new RegExp(`^(\\d+)${unit}$`).exec(text ?? "") ?? [];
  if (number === undefined) throw new Error(`${JSON.stringify(text)}: expected a number of ${unit}`);
  return Number(number);
}
