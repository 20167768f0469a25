/** Nodes of the cluster beside the control plane's: hooklet as people run it, and a real kubelet. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { hierarchies, removeCgroup, removeFolder } from "../../../scripts/machine.mjs";
import { root } from "../../sources.js";
import { binary, hooklet, type Result, until } from "../../support/agent.js";
import { kubectl, there } from "./cluster.js";

const run = promisify(execFile);

export interface Credentials {
  readonly cgroup: string;
  readonly kubeconfig: string;
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  readonly rc?: { readonly node: object; readonly [key: string]: unknown };
}

export async function credentials(name: string, ...words: readonly string[]): Promise<Credentials> {
  const script = path.join(root, "scripts/cluster.mjs");
  const { stdout } = await run(process.execPath, [script, "node", "--name", there.name, ...words, name]);
  return JSON.parse(stdout) as Credentials;
}

export interface NodeOptions {
  /** Of the machine; the default is that of its end of the control plane's link. */
  readonly address?: string;
  /** Where the API server is asked, when something stands between. */
  readonly server?: string | undefined;
  /** Put on top of the rc file or the KubeletConfiguration. */
  readonly more?: object;
  readonly maxPods?: number;
}

/** A copy of the kubeconfig, in the node's folder, that leads to `server`. */
function leadingTo(server: string | undefined, kubeconfig: string, folder: string): string {
  if (server === undefined) return kubeconfig;
  const copy = path.join(folder, "kubeconfig");
  writeFileSync(copy, readFileSync(kubeconfig, "utf8").replaceAll(there.server, server), { mode: 0o600 });
  return copy;
}

/** What both have: a process that registers a node. */
abstract class Node {
  #process: ChildProcess | undefined;
  /** Put on top of the environment of the processes that are started. */
  env: Readonly<Record<string, string>> = {};

  protected constructor(
    readonly name: string,
    readonly folder: string,
    protected readonly program: string,
    protected readonly words: readonly string[],
    readonly cgroup: string,
  ) {}

  get rootDir(): string {
    return path.join(this.folder, "root");
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error(`${this.name} does not run`);
    return pid;
  }

  get log(): string {
    return readFileSync(path.join(this.folder, "log"), "utf8");
  }

  launch(): void {
    const log = openSync(path.join(this.folder, "log"), "a");
    const env = { ...process.env, ...this.env };
    this.#process = spawn(this.program, this.words, { stdio: ["ignore", log, log], env });
  }

  /** Runs it and waits until the API says that the node is Ready. */
  async start(): Promise<void> {
    const since = new Date();
    this.launch();
    await until(
      `node ${this.name} is Ready; its log ends in: ${this.log.slice(-1500)}`,
      async () => {
        if (this.#process?.exitCode !== null) throw new Error(`${this.name} ended: ${this.log.slice(-1500)}`);
        return this.isReady(since);
      },
      120,
    );
  }

  /** Said by an agent that lives: after `since`, to the second that the API knows. */
  async isReady(since = new Date(0)): Promise<boolean> {
    const heartbeat = '{.status.conditions[?(@.type=="Ready")].status}';
    const status = await kubectl("get", "node", this.name, "--ignore-not-found", "-o", `jsonpath=${heartbeat}`);
    const renewed = await kubectl(
      ...["get", "lease", this.name, "-n", "kube-node-lease", "--ignore-not-found", "-o", "jsonpath={.spec.renewTime}"],
    );
    return status === "True" && Date.parse(renewed) >= since.getTime() - 1000;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const process = this.#process;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill(signal);
    const late = setTimeout(() => process.kill("SIGKILL"), 30_000);
    await ended;
    clearTimeout(late);
  }

  /** Its pods must be gone. */
  async remove(): Promise<void> {
    await this.end("SIGTERM");
    await kubectl("delete", "node", this.name, "--ignore-not-found").finally(() => this.#forget());
  }

  #forget(): void {
    removeCgroup(this.cgroup);
    removeFolder(this.folder);
  }
}

export class HookletNode extends Node {
  static async create(name: string, options: NodeOptions = {}): Promise<HookletNode> {
    const { address = there.hostAddress, server, more = {}, maxPods = 110 } = options;
    const folder = await mkdtemp(path.join(there.folder, `${name}-`));
    spawnAddress(address);
    const place = ["--address", address, "--root-dir", path.join(folder, "root"), "--endpoint", there.endpoint];
    const { rc, cgroup, kubeconfig } = await credentials(name, ...place);
    const config = path.join(folder, "hookletrc.json");
    mkdirSync(path.join(folder, "root"));
    const sources = { kube: { kubeconfig: leadingTo(server, kubeconfig, folder) } };
    writeFileSync(config, JSON.stringify({ ...rc, node: { ...rc?.node, maxPods }, sources, ...more }), { mode: 0o600 });
    return new HookletNode(name, folder, binary, ["run", "--config", config, "--log-format", "json"], cgroup);
  }

  hooklet(command: string, ...words: readonly string[]): Promise<Result> {
    return hooklet([command, "--root-dir", this.rootDir, ...words], this.folder);
  }

  /** Uids of pods that have a folder. */
  podFolders(): readonly string[] {
    const folder = path.join(this.rootDir, "pods");
    return existsSync(folder) ? readdirSync(folder) : [];
  }
}

/** Kubernetes' own, configured as the other one is. */
export class KubeletNode extends Node {
  static async create(name: string, options: NodeOptions = {}): Promise<KubeletNode> {
    const { address = `${there.prefix}.3`, server, more = {}, maxPods = 110 } = options;
    const { kubelet } = there;
    if (kubelet === undefined) throw new Error("there is no kubelet");
    const folder = await mkdtemp(path.join(there.folder, `${name}-`));
    spawnAddress(address);
    const { cgroup, kubeconfig, certificate, key, authority } = await credentials(name, "--address", address);
    makeCgroupRoot(cgroup);
    const config = {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      address,
      healthzPort: 0,
      containerRuntimeEndpoint: kubelet.endpoint,
      cgroupDriver: "cgroupfs",
      cgroupRoot: cgroup,
      failCgroupV1: false,
      failSwapOn: false,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: authority },
      },
      authorization: { mode: "Webhook" },
      tlsCertFile: certificate,
      tlsPrivateKeyFile: key,
      clusterDomain: "cluster.local",
      podLogsDir: path.join(folder, "root/pod-logs"),
      evictionHard: { "memory.available": "100Mi", "nodefs.available": "1Gi", "imagefs.available": "1Gi" },
      imageGCHighThresholdPercent: 99,
      imageGCLowThresholdPercent: 98,
      maxPods,
      ...more,
    };
    const file = path.join(folder, "kubelet.json");
    writeFileSync(file, JSON.stringify(config));
    const leads = leadingTo(server, kubeconfig, folder);
    const words = [`--config=${file}`, `--kubeconfig=${leads}`, `--hostname-override=${name}`, `--node-ip=${address}`];
    return new KubeletNode(name, folder, kubelet.program, [...words, `--root-dir=${folder}/root`, "--v=0"], cgroup);
  }
}

/** On the link, beside the machine's own: a node's server listens there. */
function spawnAddress(address: string): void {
  const has = execFileSync("ip", ["-o", "address", "show", "dev", there.link], { encoding: "utf8" });
  if (!has.includes(` ${address}/`)) execFileSync("ip", ["address", "add", `${address}/24`, "dev", there.link]);
}

/** A kubelet wants its cgroup root to be there in every hierarchy; a new cpuset of cgroup v1 is empty. */
function makeCgroupRoot(cgroup: string): void {
  for (const hierarchy of hierarchies().filter((folder) => existsSync(path.join(folder, "cgroup.procs")))) {
    mkdirSync(path.join(hierarchy, cgroup), { recursive: true });
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      const whole = path.join(hierarchy, file);
      if (existsSync(whole)) writeFileSync(path.join(hierarchy, cgroup, file), readFileSync(whole));
    }
  }
}
