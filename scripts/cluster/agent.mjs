// The agent whose process runtime runs the control plane, and which joins it as its node. It outlives the script.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandOf } from "../machine.mjs";
import { root } from "../pnpm.mjs";
import { nodeCredentials } from "./pki.mjs";

export const hooklet = path.join(root, "packages/hooklet/bin/hooklet.js");

/** The rc file of a node of this cluster: `runtime` as in an rc file, `more` put on top of it. */
export function nodeConfig(at, { name, address, rootDir, runtime, cgroup, node = {}, ...more }) {
  const { kubeconfig, certificate, key, authority } = nodeCredentials(at, name, address);
  return {
    rootDir,
    port: 0,
    node: {
      name,
      ip: address,
      clusterDomain: "cluster.local",
      evictionHard: { "memory.available": "100Mi", "nodefs.available": "1Gi", "imagefs.available": "1Gi" },
      ...node,
    },
    runtime,
    server: {
      address,
      port: 10250,
      tlsCertFile: certificate,
      tlsPrivateKeyFile: key,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: authority },
      },
      authorization: { mode: "Webhook" },
    },
    plugins: [["cgroups", { cgroupRoot: cgroup }]],
    ...more,
    sources: { kube: { kubeconfig }, ...more.sources },
  };
}

export function startAgent(at, { node = {} } = {}) {
  mkdirSync(at.rootDir, { recursive: true, mode: 0o755 });
  const { name: cluster, node: name, address, rootDir, cgroup, manifests } = at;
  const config = nodeConfig(at, {
    name,
    address,
    rootDir,
    runtime: { use: "process" },
    cgroup,
    node: { labels: { "node-role.hooklet.dev/control-plane": cluster }, ...node },
    sources: { manifests },
  });
  writeFileSync(at.config, JSON.stringify(config, null, 2), { mode: 0o600 });
  const log = openSync(at.log, "a", 0o600);
  const words = [`--net=${at.namespace}`, process.execPath, hooklet, "run", "--config", at.config];
  const agent = spawn("nsenter", [...words, "--log-format", "json"], { detached: true, stdio: ["ignore", log, log] });
  writeFileSync(at.pidFile, String(agent.pid));
  agent.unref();
  return agent;
}

/** The pid of the agent of this cluster, also of one that another script started. */
export function agentPid(at) {
  if (!existsSync(at.pidFile)) return undefined;
  const pid = Number(readFileSync(at.pidFile, "utf8"));
  return commandOf(pid).includes(at.config) ? pid : undefined;
}

export function lastLogLines(at, lines = 15) {
  return existsSync(at.log) ? readFileSync(at.log, "utf8").trimEnd().split("\n").slice(-lines).join("\n") : "";
}
