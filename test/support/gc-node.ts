/** An agent on a real containerd whose images lie on a small disk of their own. */
import { statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CriRuntime } from "@hooklet/runtime-cri";
import { Containerd, openRuntime } from "../../packages/runtime-cri/test/containerd.js";
import { until, Workplace } from "./agent.js";

export interface ImageRow {
  readonly image: string;
  readonly id: string;
  readonly bytes: number;
  readonly users: string;
  readonly why: string;
}

export class GcNode {
  private constructor(
    readonly containerd: Containerd,
    readonly place: Workplace,
    readonly runtime: CriRuntime,
  ) {}

  /** @param name of the containerd, at most 8 letters; `disk`: megabytes */
  static async start(name: string, disk: number): Promise<GcNode> {
    const containerd = await Containerd.start(name, disk);
    const place = await Workplace.create();
    return new GcNode(containerd, place, openRuntime(containerd.endpoint, place.folder));
  }

  async stop(): Promise<void> {
    await this.place.remove();
    await this.runtime.close();
    await this.containerd.stop();
  }

  get logs(): string {
    return path.join(this.place.rootDir, "logs");
  }

  /** Starts an agent. It does its first rounds as soon as it knows its pods. */
  async startAgent(options: object = {}, runtimeOptions: object = {}): Promise<void> {
    const rc = {
      runtime: { use: "cri", options: { endpoint: this.containerd.endpoint, ...runtimeOptions } },
      node: { evictionHard: {} },
      plugins: [["imagegc", { imageMinimumGCAge: "0s", ...options }]],
    };
    await writeFile(path.join(this.place.folder, "rc.json"), JSON.stringify(rc));
    await this.place.start("--config", path.join(this.place.folder, "rc.json"), "--node-name", "node");
  }

  /** An agent that removes nothing reads the images and goes: it ends before its first round, so it is asked for them. */
  async detect(during: () => Promise<void> = async () => {}): Promise<void> {
    await this.startAgent({ imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 100 });
    await during();
    await this.images();
    await this.place.stop();
  }

  async images(): Promise<readonly ImageRow[]> {
    const { stdout, stderr, code } = await this.place.hooklet("get", "images", "-o", "json");
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as readonly ImageRow[];
  }

  async has(name: string): Promise<boolean> {
    return (await this.runtime.imageStatus(name)) !== undefined;
  }

  async usedPercent(): Promise<number> {
    const { blocks, bavail } = await statfs(this.containerd.root);
    return 100 - Math.floor((bavail * 100) / blocks);
  }

  /** Bytes that are free on the disk. */
  async available(): Promise<number> {
    const { bavail, bsize } = await statfs(this.containerd.root);
    return bavail * bsize;
  }

  /** Waits for a line of the agents' log; the error shows what they said instead. */
  async logged(what: string, line: RegExp, seconds = 180): Promise<void> {
    await until(what, async () => line.test(this.place.output), seconds).catch((error) => {
      throw new Error(`${String(error)}\n${this.place.output.slice(-3000)}`);
    });
  }
}

export const pod = (name: string, image: string, spec = ""): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  restartPolicy: Never
  containers: [{ name: main, image: "${image}"${spec} }]
`;
