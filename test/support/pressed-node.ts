/** A real agent that evicts, on a disk or in a cgroup of its own that is small enough to run short. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Result, until, type V1Pod, Workplace } from "./agent.js";
import { podsCgroup } from "./pods-cgroup.js";
import type { RealRuntime } from "./runtimes.js";

export interface PressedNodeOptions {
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Of the plugin. */
  readonly options?: object;
  /** Of plugin-imagegc, which would clean by marks of its own. */
  readonly imagegc?: object;
  /** Mebibytes of the disk that holds the agent's root dir; default: the machine's. */
  readonly diskMebibytes?: number;
  /** Mebibytes of memory of all pods together; default: no limit. */
  readonly podsMebibytes?: number;
}

export interface PodText {
  /** Run by `sh -c`. */
  readonly script: string;
  readonly resources?: object;
  readonly spec?: object;
  /** Of the container. */
  readonly volumeMounts?: readonly object[];
}

export class PressedNode {
  readonly #releases: (() => void)[] = [];

  private constructor(
    readonly place: Workplace,
    readonly runtime: RealRuntime,
  ) {}

  static async create(runtime: RealRuntime, given: PressedNodeOptions): Promise<PressedNode> {
    const place = await Workplace.create();
    const node = new PressedNode(place, runtime);
    if (given.diskMebibytes !== undefined) await node.#mount(given.diskMebibytes);
    const { release, ...limits } = podsCgroup(place.folder, given.podsMebibytes);
    node.#releases.push(release);
    const rc = {
      node: {
        name: "node1",
        evictionHard: given.evictionHard,
        // On the small disk, and as long as their writer likes.
        containerLogMaxSize: "1Gi",
        ...limits.node,
      },
      runtime: runtime.rc,
      plugins: [
        ...limits.plugins,
        ...(given.imagegc === undefined ? [] : [["imagegc", given.imagegc]]),
        ["eviction", given.options ?? {}],
      ],
    };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    await node.start();
    return node;
  }

  start(): Promise<void> {
    return this.place.start("--config", path.join(this.place.folder, "rc.json"));
  }

  async apply(pods: Readonly<Record<string, PodText>>): Promise<void> {
    const file = path.join(this.place.folder, "pods.yaml");
    const texts = Object.entries(pods).map(([name, text]) => this.#manifest(name, text));
    await writeFile(file, texts.join("\n---\n"));
    const { code, stderr } = await this.place.hooklet("apply", "-f", file);
    if (code !== 0) throw new Error(stderr);
  }

  #manifest(name: string, { script, resources = {}, spec = {}, volumeMounts = [] }: PodText): string {
    const command = ["sh", "-c", script];
    const { image } = this.runtime;
    const container = { name: "main", image, imagePullPolicy: "IfNotPresent", command, resources, volumeMounts };
    const whole = { dnsPolicy: "Default", terminationGracePeriodSeconds: 2, restartPolicy: "Never", ...spec };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { ...whole, containers: [container] },
    });
  }

  async get(name: string): Promise<V1Pod> {
    const pod = (await this.place.pods()).find(({ metadata }) => metadata.name === name);
    if (pod === undefined) throw new Error(`there is no pod ${name}`);
    return pod;
  }

  async phases(...names: readonly string[]): Promise<string> {
    const pods = await this.place.pods();
    return names.map((name) => pods.find(({ metadata }) => metadata.name === name)?.status.phase ?? "none").join(" ");
  }

  async reach(phase: string, seconds: number, ...names: readonly string[]): Promise<void> {
    const wanted = names.map(() => phase).join(" ");
    try {
      await until(`${names.join(", ")}: ${phase}`, async () => (await this.phases(...names)) === wanted, seconds);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.place.output.slice(-4000)}`);
    }
  }

  /** `type reason object: message`, oldest first. */
  async events(): Promise<readonly string[]> {
    const { stdout } = await this.place.hooklet("events", "-o", "json");
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ type, reason, message, involvedObject }) => {
        const { name } = involvedObject as { name: string };
        return `${String(type)} ${String(reason)} ${name}: ${String(message)}`;
      });
  }

  /** Status of a node condition. */
  async condition(type: string): Promise<string | undefined> {
    const { stdout } = await this.place.hooklet("get", "node", "-o", "json");
    const node = JSON.parse(stdout) as { status: { conditions: readonly { type: string; status: string }[] } };
    return node.status.conditions.find((one) => one.type === type)?.status;
  }

  /** Images of random bytes, so many mebibytes each, where the agent imports images itself. */
  async importImages(count: number, mebibytes: number): Promise<void> {
    const names = Array.from({ length: count }, (_, index) => `example.test/blob${index}:1`);
    for (const name of names) {
      const folder = await mkdtemp(path.join(tmpdir(), "hooklet-blob-"));
      await writeFile(path.join(folder, "blob"), randomBytes(mebibytes * 1024 * 1024));
      const { code, stderr } = await this.place.hooklet("image", "import", name, folder);
      rmSync(folder, { recursive: true });
      if (code !== 0) throw new Error(stderr);
    }
  }

  /** Names of the images of random bytes. */
  async blobs(): Promise<readonly string[]> {
    const { stdout } = await this.place.hooklet("get", "images", "-o", "json");
    const images = JSON.parse(stdout) as readonly { readonly image: string }[];
    return images.map(({ image }) => image).filter((image) => image.includes("example.test/blob"));
  }

  /** Changes of a condition of the node, in order. */
  async changes(condition: string): Promise<readonly string[]> {
    const events = await this.events();
    return events
      .map((line) => line.split(" ")[1] ?? "")
      .filter((reason) => new RegExp(`^NodeHas\\w*${condition}`).test(reason));
  }

  plan(...args: readonly string[]): Promise<Result> {
    return this.place.hooklet("plan", "eviction", ...args);
  }

  async remove(): Promise<void> {
    for (const { metadata } of await this.place.pods().catch(() => [])) {
      await this.place.hooklet("delete", "pod", metadata.name);
    }
    await this.place.stop();
    for (const release of this.#releases.reverse()) release();
    await this.place.remove();
  }

  /** A small file system for the agent's root dir. */
  async #mount(mebibytes: number): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), "hooklet-disk-"));
    const image = path.join(folder, "disk.img");
    execFileSync("truncate", ["-s", `${mebibytes}M`, image]);
    execFileSync("mkfs.ext4", ["-q", "-m", "0", image]);
    mkdirSync(this.place.rootDir);
    execFileSync("mount", ["-o", "loop", image, this.place.rootDir]);
    this.#releases.push(() => {
      execFileSync("umount", ["--lazy", this.place.rootDir]);
      rmSync(folder, { recursive: true });
    });
  }
}

/** Why disks and cgroups cannot be made small here; undefined when they can. */
export const cannotPress =
  process.platform === "linux" && process.getuid?.() === 0 ? undefined : "small disks and cgroups need root on Linux";
