/** A real agent with a cgroup root of its own, and the kernel's files of its pods. */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { until, type V1Pod, Workplace } from "./agent.js";
import type { RealRuntime } from "./runtimes.js";

const CGROUPS = "/sys/fs/cgroup";

/** Why the tests cannot run here: they read the files of cgroup v1, each controller mounted separately, and only root can create cgroups. */
export const noV1Cgroups = lacking();

function lacking(): string | undefined {
  if (process.getuid?.() !== 0) return "making cgroups needs root";
  if (!existsSync(`${CGROUPS}/memory/memory.limit_in_bytes`)) return "cgroup v1 is not mounted at /sys/fs/cgroup";
  return undefined;
}

export interface PodText {
  readonly uid?: string;
  readonly resources?: object;
  readonly script?: string;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Runs until TERM. */
const idle = 'trap "exit 0" TERM; while :; do sleep 0.2; done';

export class CgroupNode {
  private constructor(
    readonly place: Workplace,
    readonly runtime: RealRuntime,
    /** Below it is `kubepods`. */
    readonly root: string,
  ) {}

  static async create(runtime: RealRuntime, options: object = {}, node: object = {}): Promise<CgroupNode> {
    const place = await Workplace.create();
    const root = `/hooklet-e2e-${path.basename(place.folder).slice(-6)}`;
    const here = new CgroupNode(place, runtime, root);
    const plugins = [["cgroups", { cgroupRoot: root, ...options }]];
    const rc = { node: { name: "node1", evictionHard: {}, ...node }, runtime: runtime.rc, plugins };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    await here.start();
    return here;
  }

  start(): Promise<void> {
    return this.place.start("--config", path.join(this.place.folder, "rc.json"));
  }

  async apply(pods: Readonly<Record<string, PodText>>): Promise<void> {
    const texts = Object.entries(pods).map(([name, { resources = {}, script = idle, spec = {}, annotations = {} }]) => {
      const { image } = this.runtime;
      const container = {
        name: "main",
        image,
        imagePullPolicy: "IfNotPresent",
        command: ["sh", "-c", script],
        resources,
      };
      const whole = { dnsPolicy: "Default", terminationGracePeriodSeconds: 1, containers: [container], ...spec };
      return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, annotations }, spec: whole });
    });
    const file = path.join(this.place.folder, "pods.yaml");
    await writeFile(file, texts.join("\n---\n"));
    const { code, stderr } = await this.place.hooklet("apply", "-f", file);
    if (code !== 0) throw new Error(stderr);
  }

  async get(name: string): Promise<V1Pod> {
    const pod = (await this.place.pods()).find(({ metadata }) => metadata.name === name);
    if (pod === undefined) throw new Error(`there is no pod ${name}`);
    return pod;
  }

  run(...names: readonly string[]): Promise<void> {
    return until(
      `${names.join(", ")} run`,
      async () => {
        const pods = await this.place.pods();
        return names.every((name) => pods.find(({ metadata }) => metadata.name === name)?.status.phase === "Running");
      },
      60,
    );
  }

  /** Path of a pod's cgroup: found by its uid, wherever it lies. */
  async podCgroup(name: string): Promise<string> {
    const { uid } = (await this.get(name)).metadata;
    const places = ["", "/burstable", "/besteffort"].map((qos) => `${this.root}/kubepods${qos}/pod${uid}`);
    return places.find((place) => existsSync(`${CGROUPS}/memory${place}`)) ?? `${this.root}: no cgroup of pod ${name}`;
  }

  /** Path of the cgroup of a pod's only container. */
  async containerCgroup(name: string): Promise<string> {
    const id = (await this.get(name)).status.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, "");
    return `${await this.podCgroup(name)}/${id}`;
  }

  /** What stands in a file of a cgroup (its name tells the controller). */
  read(cgroup: string, file: string): string {
    const controller = file === "cgroup.procs" ? "pids" : (file.split(".")[0] ?? "");
    return readFileSync(`${CGROUPS}/${controller}${cgroup}/${file}`, "utf8").trim();
  }

  /** As another program might. */
  write(cgroup: string, file: string, value: string): void {
    writeFileSync(`${CGROUPS}/${file.split(".")[0]}${cgroup}/${file}`, value);
  }

  /** Pods that start from now on share these processors. */
  pinTo(cpus: string): void {
    const pods = `${this.root}/kubepods`;
    for (const place of [`${pods}/besteffort`, `${pods}/burstable`]) this.write(place, "cpuset.cpus", cpus);
  }

  /** oom_score_adj of the first process in a cgroup. */
  oomScore(cgroup: string): number {
    const [pid] = this.read(cgroup, "cgroup.procs").split("\n");
    return Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"));
  }

  /**
   * Cores that a cgroup used over some seconds, and in which share of the quota's periods it was held back: where that is small,
   * others had the machine, and the limit tells nothing.
   */
  async used(cgroup: string, seconds: number): Promise<{ readonly cores: number; readonly heldBack: number }> {
    const stat = (key: string): number =>
      Number(new RegExp(`^${key} (\\d+)$`, "m").exec(this.read(cgroup, "cpu.stat"))?.[1] ?? 0);
    const began = process.hrtime.bigint();
    const [before, periods, throttled] = [
      Number(this.read(cgroup, "cpuacct.usage")),
      stat("nr_periods"),
      stat("nr_throttled"),
    ];
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const cores = (Number(this.read(cgroup, "cpuacct.usage")) - before) / Number(process.hrtime.bigint() - began);
    return { cores, heldBack: (stat("nr_throttled") - throttled) / Math.max(1, stat("nr_periods") - periods) };
  }

  /** Stops pods and agent, and takes its cgroups away. */
  async remove(): Promise<void> {
    await this.place.remove();
    for (const controller of readdirSync(CGROUPS)) removeTree(`${CGROUPS}/${controller}${this.root}`);
  }
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(`${folder}/${entry.name}`);
  }
  try {
    rmdirSync(folder);
  } catch {
    // A sandbox that is just going: what is left is empty, and of a name that is not used again.
  }
}

/** Whether a cgroup is there in any hierarchy. */
export function existsAnywhere(cgroup: string): boolean {
  return ["cpu", "memory", "pids", "cpuset", "freezer", "devices", "blkio", "systemd", "unified"].some((controller) => {
    try {
      readFileSync(`/sys/fs/cgroup/${controller}${cgroup}/cgroup.procs`);
      return true;
    } catch {
      return false;
    }
  });
}
