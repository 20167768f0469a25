/** A node with the devices plugin and real device plugins in their own processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { GrpcClient, service } from "../../packages/plugin-devices/src/grpc/grpc.js";
import { root } from "../sources.js";
import { until, type V1Pod, Workplace } from "./agent.js";
import type { RealRuntime } from "./runtimes.js";

const demo = path.join(root, "examples/device-plugin/dist/main.js");

/** What a real kubelet was seen to do with the Kubernetes sample plugin. */
export const golden = JSON.parse(
  readFileSync(path.join(root, "packages/plugin-devices/test/golden/devices.json"), "utf8"),
) as {
  readonly checkpoint_file: string;
  readonly refused: { readonly phase: string; readonly reason: string; readonly message: string };
  readonly agent_restarted_while_the_plugin_is_away: {
    readonly "pod that had been refused, admitted again": { readonly reason: string; readonly message: string };
  };
};

/** The status of a pod that is refused because nothing of the resource is left, in the kubelet's words. */
export const refusal = (resource: string): object => ({
  ...golden.refused,
  message: golden.refused.message.replace("example.com/resource", resource),
});

export interface DeviceRow {
  readonly resource: string;
  readonly id: string;
  readonly health: string;
  readonly pod: string;
}

export class DeviceNode {
  readonly plugins = new Set<PluginProcess>();

  private constructor(
    readonly place: Workplace,
    readonly runtime: RealRuntime,
  ) {}

  static async create(runtime: RealRuntime, options: object = {}): Promise<DeviceNode> {
    const node = new DeviceNode(await Workplace.create(), runtime);
    const rc = { runtime: runtime.rc, plugins: [["devices", options]] };
    await writeFile(path.join(node.place.folder, "rc.json"), JSON.stringify(rc));
    return node;
  }

  get folder(): string {
    return path.join(this.place.rootDir, "device-plugins");
  }

  start(): Promise<void> {
    return this.place.start("--config", path.join(this.place.folder, "rc.json"), "--node-name", "node");
  }

  async remove(): Promise<void> {
    for (const plugin of this.plugins) plugin.kill();
    await this.place.remove();
  }

  /** The demo plugin, once it has registered. */
  async demo(...args: readonly string[]): Promise<PluginProcess> {
    await mkdir(this.folder, { recursive: true, mode: 0o750 });
    const plugin = new PluginProcess(process.execPath, [demo, "--folder", this.folder, ...args]);
    this.plugins.add(plugin);
    await plugin.says("registered");
    return plugin;
  }

  /**
   * The device plugin of the Kubernetes node tests, which knows /var/lib/kubelet alone: a mount namespace of its own shows it
   * our folder there.
   */
  async sample(program: string): Promise<PluginProcess> {
    const lib = path.join(this.place.folder, "lib");
    await mkdir(path.join(lib, "kubelet/device-plugins"), { recursive: true, mode: 0o750 });
    await mkdir(this.folder, { recursive: true, mode: 0o750 });
    const script = 'mount --bind "$1" /var/lib && mount --bind "$2" /var/lib/kubelet/device-plugins && exec "$3"';
    const plugin = new PluginProcess("unshare", ["--mount", "sh", "-c", script, "sh", lib, this.folder, program]);
    this.plugins.add(plugin);
    await plugin.says("Register");
    return plugin;
  }

  /** A pod of one container that asks for one device and lives on. */
  async pod(name: string, resource: string, command = "exec sleep 3600"): Promise<void> {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "c",
            image: this.runtime.image,
            command: ["sh", "-c", command],
            resources: { limits: { [resource]: "1" } },
          },
        ],
      },
    };
    await this.place.manifest(`${name}.yaml`, JSON.stringify(pod));
  }

  async isRunning(name: string): Promise<boolean> {
    const pod = await this.place.pod(name);
    return pod?.status.containerStatuses?.[0]?.state.running !== undefined;
  }

  async failed(name: string): Promise<V1Pod["status"]> {
    let status: V1Pod["status"] | undefined;
    await until(`pod ${name} is refused`, async () => {
      status = (await this.place.pod(name))?.status;
      return status?.phase === "Failed";
    });
    return status as V1Pod["status"];
  }

  async devices(resource: string): Promise<readonly DeviceRow[]> {
    const { stdout, stderr, code } = await this.place.hooklet("get", "devices", "-o", "json");
    if (code !== 0) throw new Error(stderr);
    const rows = JSON.parse(stdout) as readonly DeviceRow[];
    return rows.filter((row) => row.resource === resource);
  }

  /** Device id -> pod, as `get devices` has it. */
  async owners(resource: string): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries((await this.devices(resource)).map(({ id, pod }) => [id, pod]));
  }

  async healths(resource: string): Promise<readonly string[]> {
    return (await this.devices(resource)).map(({ health }) => health);
  }

  /** A call of the pod resources API, over its socket. */
  async podResources(rpc: string): Promise<unknown> {
    const client = new GrpcClient(path.join(this.place.rootDir, "pod-resources/kubelet.sock"), systemClock);
    try {
      return await client.call(service("v1.PodResourcesLister"), rpc, {}, 5_000);
    } finally {
      client.close();
    }
  }

  /** Device id -> pod, as the pod resources API has it. */
  async listed(): Promise<Readonly<Record<string, string>>> {
    const { podResources } = (await this.podResources("List")) as {
      podResources: readonly {
        name: string;
        containers: readonly { devices: readonly { deviceIds: readonly string[] }[] }[];
      }[];
    };
    const pairs = podResources.flatMap(({ name, containers }) =>
      containers.flatMap(({ devices }) =>
        devices.flatMap(({ deviceIds }) => deviceIds.map((id) => [id, name] as const)),
      ),
    );
    return Object.fromEntries(pairs);
  }

  checkpoint(): Promise<string> {
    return readFile(path.join(this.folder, "kubelet_internal_checkpoint"), "utf8");
  }

  async exec(pod: string, ...command: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await this.place.hooklet("exec", pod, "--", ...command);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }
}

export class PluginProcess {
  readonly #process: ChildProcess;
  output = "";

  constructor(program: string, args: readonly string[]) {
    this.#process = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (data: Buffer) => (this.output += data.toString()));
    }
  }

  async says(text: string): Promise<void> {
    await until(`the device plugin says ${text}`, async () => {
      if (this.#process.exitCode !== null) throw new Error(`the device plugin ended:\n${this.output}`);
      return this.output.includes(text);
    });
  }

  type(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** kill -9. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }
}
