/** A whole agent in this process on a real containerd, with real time. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Pod } from "@hooklet/core";
import { type Agent, type AgentConfig, startAgent } from "@hooklet/core/host";
import { rcSchema } from "@hooklet/core/internal";
import { manifestFolder } from "@hooklet/source-manifest";
import { systemClock } from "@hooklet/utils";
import { pino } from "pino";
import type { CriRuntime } from "../src/cri-runtime.js";
import runtimeFactory from "../src/index.js";
import { openRuntime, temporaryFolder } from "./containerd.js";

export interface CriNodeOptions {
  readonly node?: Partial<AgentConfig["node"]>;
  readonly plugins?: AgentConfig["plugins"];
  /** Of the rc file's `runtime`, beside the endpoint. */
  readonly runtime?: object;
}

export class CriNode {
  #agent: Agent | undefined;

  private constructor(
    readonly endpoint: string,
    readonly folder: string,
    private readonly options: CriNodeOptions,
    private readonly removeFolder: () => Promise<void>,
  ) {
    this.runtime = openRuntime(endpoint, folder);
  }

  static async create(endpoint: string, options: CriNodeOptions = {}): Promise<CriNode> {
    const { folder, remove } = await temporaryFolder();
    const node = new CriNode(endpoint, folder, options, remove);
    await mkdir(node.manifests);
    return node;
  }

  get manifests(): string {
    return path.join(this.folder, "manifests");
  }

  get rootDir(): string {
    return path.join(this.folder, "root");
  }

  get logs(): string {
    return path.join(this.rootDir, "logs");
  }

  get api(): Agent["api"] {
    if (this.#agent === undefined) throw new Error("the agent does not run");
    return this.#agent.api;
  }

  /** Another connection to the same containerd. */
  readonly runtime: CriRuntime;

  async start(): Promise<this> {
    const config = this.#config();
    this.#agent = await startAgent({
      config,
      version: "0.0.0-test",
      clock: systemClock,
      log: pino({ level: process.env.HOOKLET_TEST_LOG ?? "silent" }),
      runtime: openRuntime(this.endpoint, this.rootDir, this.options.runtime),
      sources: [
        manifestFolder({
          path: this.manifests,
          fileCheckFrequency: 20,
          nodeName: config.node.name,
          clock: systemClock,
        }),
      ],
    });
    return this;
  }

  /** The agent goes, the containers stay. */
  async stop(): Promise<void> {
    await this.#agent?.stop();
    this.#agent = undefined;
  }

  /** Stops all pods, then the agent. */
  async remove(): Promise<void> {
    await this.#agent?.shutdown(1);
    await this.stop();
    await this.runtime.close();
    await this.removeFolder();
  }

  async manifest(name: string, pod: unknown): Promise<void> {
    await writeFile(path.join(this.manifests, name), typeof pod === "string" ? pod : JSON.stringify(pod));
  }

  async removeManifest(name: string): Promise<void> {
    await rm(path.join(this.manifests, name));
  }

  pod(name: string): Pod | undefined {
    return this.api.pods().find(({ metadata }) => metadata.name === name || metadata.name === `${name}-node1`);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>, seconds = 90): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}\n${this.#situation()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async ready(...names: readonly string[]): Promise<void> {
    await this.until(`${names.join(", ")} ready`, () => names.every((name) => isReady(this.pod(name))), 120);
  }

  #situation(): string {
    const pods = this.api
      .pods()
      .map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status?.containerStatuses ?? status)}`);
    const events = this.api
      .events()
      .slice(-20)
      .map(({ reason, message }) => `${reason}: ${message}`);
    return [...pods, ...events].join("\n");
  }

  #config(): AgentConfig {
    const base = rcSchema.parse({ rootDir: this.rootDir, port: 0 });
    return {
      rootDir: this.rootDir,
      socket: path.join(this.rootDir, "hooklet.sock"),
      port: 0,
      readOnlyPort: 0,
      readOnlySocket: null,
      node: {
        ...base.node,
        name: "node1",
        capacity: { cpu: "64", memory: "64Gi" },
        evictionHard: {},
        maxPods: 300,
        ...this.options.node,
      } as AgentConfig["node"],
      sources: base.sources as AgentConfig["sources"],
      runtime: { factory: runtimeFactory as AgentConfig["runtime"]["factory"], options: {}, specifier: "cri" },
      plugins: this.options.plugins ?? [],
      effective: [],
    };
  }
}

export function isReady(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
