/** A node of 2 CPU and 2 GiB: a real agent, limited by its rc file, with pods whose processes can be found on the machine. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { until, type V1Pod, Workplace } from "./agent.js";
import { processesWith } from "./processes.js";
import type { RealRuntime } from "./runtimes.js";

/** Ends at once on TERM, with 0; or ignores it. */
export const obedient = 'trap "exit 0" TERM';
export const deaf = 'trap "" TERM';

export interface PodText {
  readonly resources?: object;
  readonly trap?: string;
  readonly spec?: object;
}

export class LimitedNode {
  private constructor(
    readonly place: Workplace,
    readonly runtime: RealRuntime,
  ) {}

  static async create(runtime: RealRuntime): Promise<LimitedNode> {
    const place = await Workplace.create();
    const node = { name: "node1", capacity: { cpu: "2", memory: "2Gi" }, evictionHard: {} };
    const plugins = ["preemption"];
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify({ node, runtime: runtime.rc, plugins }));
    const here = new LimitedNode(place, runtime);
    await here.start();
    return here;
  }

  start(): Promise<void> {
    return this.place.start("--config", path.join(this.place.folder, "rc.json"));
  }

  manifest(name: string, { resources = {}, trap = obedient, spec = {} }: PodText = {}): string {
    const { image } = this.runtime;
    // Its first command does nothing but tell the process from all others of the machine.
    const command = ["sh", "-c", `: ${this.#mark(name)} ${trap}; while :; do sleep 0.2; done`];
    const container = { name: "main", image, imagePullPolicy: "IfNotPresent", command, resources };
    const whole = { dnsPolicy: "Default", terminationGracePeriodSeconds: 2, containers: [container], ...spec };
    return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: whole });
  }

  /** All in one call, in this order; resolves when they run. */
  async apply(pods: Readonly<Record<string, PodText>>): Promise<void> {
    const file = path.join(this.place.folder, "pods.yaml");
    await writeFile(
      file,
      Object.entries(pods)
        .map(([name, text]) => this.manifest(name, text))
        .join("\n---\n"),
    );
    const { code, stderr } = await this.place.hooklet("apply", "-f", file);
    if (code !== 0) throw new Error(stderr);
  }

  async get(name: string): Promise<V1Pod | undefined> {
    return (await this.place.pods()).find(({ metadata }) => metadata.name === name);
  }

  run(...names: readonly string[]): Promise<void> {
    return until(
      `${names.join(", ")} run`,
      async () => {
        const pods = await this.place.pods();
        return names.every((name) => pods.find(({ metadata }) => metadata.name === name)?.status.phase === "Running");
      },
      120,
    );
  }

  /** Ids of the processes that the pod has on this machine. */
  processes(name: string): readonly number[] {
    return [...processesWith(this.#mark(name)).keys()];
  }

  #mark(name: string): string {
    return `${this.place.folder}/${name};`;
  }

  /** Of pods: what is said of the node (its disk) depends on the machine. */
  async warnings(): Promise<readonly string[]> {
    const { stdout } = await this.place.hooklet("events", "-o", "json");
    const events = stdout.split("\n").filter((line) => line !== "");
    return events
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type, involvedObject }) => type === "Warning" && (involvedObject as { kind?: string }).kind === "Pod")
      .map(({ reason, message, involvedObject }) => {
        const { name } = involvedObject as { name: string };
        return `Warning ${String(reason)} ${name}: ${String(message)}`;
      });
  }
}
