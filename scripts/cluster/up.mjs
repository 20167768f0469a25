// From nothing to a cluster that answers: keys, namespace, manifests, one agent, and what kubeadm would apply.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statfsSync } from "node:fs";
import path from "node:path";
import { until } from "../machine.mjs";
import { root } from "../pnpm.mjs";
import { lastLogLines, startAgent } from "./agent.mjs";
import { binaries } from "./binaries.mjs";
import { writeControlPlane } from "./control-plane.mjs";
import { kubectl, kubectlOk } from "./kubectl.mjs";
import { makeNetwork } from "./network.mjs";
import { makePki, nodeCredentials } from "./pki.mjs";

/** Seconds. */
const PATIENCE = 180;
/** Of statfs: overlayfs takes no overlay on top, which is what the root file systems of pods with volumes are. */
const OVERLAYFS = 0x794c7630;
const CONTROL_PLANE_TAINT = { key: "node-role.kubernetes.io/control-plane", value: "", effect: "NoSchedule" };

/** @throws Error when this machine cannot have the cluster, or has it already */
export function mayBoot(at) {
  if (process.platform !== "linux" || process.getuid() !== 0)
    throw new Error("a cluster needs root on Linux: it has a network namespace and cgroups of its own");
  const missing = ["ip", "nsenter", "unshare", "openssl"].filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0)
    throw new Error(`a cluster needs ${missing.join(", ")}: install iproute2, util-linux, openssl`);
  if (existsSync(at.dir)) throw new Error(`${at.dir} is there already: pnpm cluster down --name ${at.name}`);
  const disk = nearest(at.dir);
  if (statfsSync(disk).type === OVERLAYFS)
    throw new Error(
      `${disk} is an overlay file system, on which pods have no volumes: set HOOKLET_CLUSTER_DIR to another disk`,
    );
  const addresses = spawnSync("ip", ["-o", "-4", "address"], { encoding: "utf8" }).stdout;
  if (addresses.includes(` ${at.prefix}.`))
    throw new Error(`${at.prefix}.0/24 is in use on this machine: give another --name, which picks another network`);
}

function nearest(folder) {
  return existsSync(folder) ? folder : nearest(path.dirname(folder));
}

/**
 * Brings the control plane up; `stage` hears what is there, with the milliseconds since the beginning.
 * `audit`: the API server writes down what nodes ask. `dedicated`: the control plane's node takes no pods that do not tolerate it.
 * @throws Error when something is missing, or does not come up in time; with code EEXIST when its folder is there
 */
export async function up(at, { stage = () => {}, dedicated = false, audit = false } = {}) {
  if (!existsSync(`${root}/packages/hooklet/dist`)) throw new Error("hooklet is not built: run pnpm build first");
  const programs = await binaries();
  const began = performance.now();
  const reached = (what) => stage(what, performance.now() - began);
  mkdirSync(path.dirname(at.dir), { recursive: true, mode: 0o700 });
  mkdirSync(at.dir, { mode: 0o700 });
  makeNetwork(at);
  makePki(at);
  nodeCredentials(at, at.node, at.address);
  writeControlPlane(at, programs, { audit });
  const agent = startAgent(at, dedicated ? { node: { taints: [CONTROL_PLANE_TAINT] } } : {});
  await comes(at, agent, "the API server answers", () => kubectlOk(at, "get", "--raw=/readyz"));
  reached("the API server answers");
  await kubectl(at, ["apply", "-f", "-"], JSON.stringify(kubeletAccess));
  await comes(at, agent, "the node is Ready", () => nodeIsReady(at, at.node));
  reached(`node ${at.node} is Ready`);
  const account = ["get", "serviceaccount", "default", "--namespace=default"];
  await comes(at, agent, "the controllers work", () => kubectlOk(at, ...account));
  await comes(at, agent, "the control plane is Ready", () => controlPlaneIsReady(at));
  reached("all of the control plane is Ready, as pods of the cluster that it makes");
}

/** For logs, exec, attach and port-forward. */
const kubeletAccess = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "kube-apiserver-kubelet-client" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:kubelet-api-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "kube-apiserver-kubelet-client" }],
};

async function nodeIsReady(at, name) {
  const path = '{.status.conditions[?(@.type=="Ready")].status}';
  return (await kubectl(at, ["get", "node", name, "--ignore-not-found", "-o", `jsonpath=${path}`])) === "True";
}

async function controlPlaneIsReady(at) {
  const { items } = JSON.parse(await kubectl(at, ["get", "pods", "-n", "kube-system", "-o", "json"]));
  const ready = ({ status }) => status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  return items.length === 4 && items.every(ready);
}

async function comes(at, agent, what, holds) {
  const looks = () => {
    if (agent.exitCode !== null || agent.signalCode !== null)
      throw new Error(`the agent has ended:\n${lastLogLines(at)}`);
    return holds().catch(() => false);
  };
  await until(what, looks, { seconds: PATIENCE, hint: () => `the agent's last words:\n${lastLogLines(at)}` });
}
