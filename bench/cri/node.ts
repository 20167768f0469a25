/** A real agent process on a containerd, as the bench drives and measures it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pod } from "@hooklet/core";
import type { CriRuntime } from "@hooklet/runtime-cri";
import { Semaphore } from "@hooklet/utils";
import { cpuSecondsOf, residentBytesOf } from "../processes.js";
import { pause } from "../wait.js";
import { COMMAND, IMAGE, openRuntime, type StartOrder, startOrder } from "./bare.js";
import { hooklet, type Program } from "./programs.js";

export class Node {
  #agent: ChildProcess | undefined;
  /** Milliseconds since the epoch. */
  #began = 0;

  private constructor(
    private readonly folder: string,
    private readonly program: Program,
    private readonly command: readonly [string, ...string[]],
    private readonly runtime: CriRuntime,
  ) {}

  static async start(endpoint: string, program = hooklet()): Promise<Node> {
    const folder = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
    for (const part of ["manifests", "new"]) await mkdir(path.join(folder, part));
    const runtime = openRuntime(endpoint);
    await runtime.start();
    const node = new Node(folder, program, await program.command(folder, endpoint), runtime);
    await node.#launch();
    return node;
  }

  async #launch(): Promise<void> {
    const [file, ...args] = this.command;
    const log = await open(path.join(this.folder, "log"), "a");
    this.#agent = spawn(file, args, { stdio: ["ignore", log.fd, log.fd] });
    await log.close();
    const answers = async () => (await this.#get("/healthz").catch(() => "")) !== "";
    await until("the agent answers", answers, 60).catch(async (error: Error) => {
      const lines = (await readFile(path.join(this.folder, "log"), "utf8")).trimEnd().split("\n");
      throw new Error([error.message, ...lines.slice(-5)].join("\n"));
    });
  }

  /** When the containers of the last `bringUp` ran. */
  startOrder(): Promise<StartOrder> {
    return startOrder(this.runtime, this.#began);
  }

  /**
   * From the rename of the manifests until it is seen that all containers run, milliseconds. When each began is known from
   * `startOrder`: reading more often would slow down the measured work.
   */
  async bringUp(pods: number, write = manifest, containers = pods): Promise<number> {
    for (let i = 0; i < pods; i++) await writeFile(path.join(this.folder, "new", `p${i}.json`), write(`p${i}`));
    this.#began = Date.now();
    const began = performance.now();
    for (let i = 0; i < pods; i++) {
      await rename(path.join(this.folder, "new", `p${i}.json`), path.join(this.folder, "manifests", `p${i}.json`));
    }
    const step = stepFor(containers);
    await until(`${containers} containers run`, async () => (await this.#running()) === containers, 300, step);
    return performance.now() - began;
  }

  /** From the removal of the manifests to the last sandbox gone, milliseconds. */
  async takeDown(): Promise<number> {
    const began = performance.now();
    const manifests = path.join(this.folder, "manifests");
    const files = await readdir(manifests);
    for (const file of files) await rm(path.join(manifests, file));
    const gone = async (): Promise<boolean> => (await this.runtime.listSandboxes()).length === 0;
    await until("all pods are gone", gone, 300, stepFor(files.length));
    return performance.now() - began;
  }

  /** From the removal of one manifest until its sandbox is gone, milliseconds; `limit` where it stays longer. */
  async deleteOne(limit: number): Promise<number> {
    const [file = ""] = await readdir(path.join(this.folder, "manifests"));
    const before = (await this.runtime.listSandboxes()).length;
    const began = performance.now();
    await rm(path.join(this.folder, "manifests", file));
    while ((await this.runtime.listSandboxes()).length === before) {
      if (performance.now() - began > limit) return limit;
      await pause(5);
    }
    return performance.now() - began;
  }

  /** Ends the agent, then all pods by plain CRI calls. */
  async clear(): Promise<void> {
    await this.#end();
    const slots = new Semaphore(8);
    const clear = async (id: string): Promise<void> => {
      await this.runtime.stopSandbox(id);
      await this.runtime.removeSandbox(id);
    };
    await Promise.all((await this.runtime.listSandboxes()).map(({ id }) => slots.run(() => clear(id))));
    await this.remove();
  }

  async #running(): Promise<number> {
    return (await this.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING").length;
  }

  async containerIds(): Promise<readonly string[]> {
    return (await this.runtime.listContainers()).map(({ id }) => id).sort();
  }

  /** CRI calls so far, by the kubelet's names of operations. */
  async calls(): Promise<ReadonlyMap<string, number>> {
    const lines = (await this.#get("/metrics")).matchAll(
      /^kubelet_runtime_operations_total\{operation_type="(\w+)"\} (\d+)/gm,
    );
    return new Map([...lines].map(([, operation = "", count]) => [operation, Number(count)]));
  }

  /** Probes so far. */
  async probes(): Promise<{ readonly successful: number; readonly others: number }> {
    const lines = (await this.#get("/metrics/probes")).matchAll(/^prober_probe_total\{.*result="(\w+)".*\} (\d+)/gm);
    const count = { successful: 0, others: 0 };
    for (const [, result, value] of lines) count[result === "successful" ? result : "others"] += Number(value);
    return count;
  }

  async allReady(pods: number): Promise<void> {
    await until(`${pods} pods are ready`, async () => (await this.#ready()).ready === pods, 300);
  }

  async killAndRestart(pods: number): Promise<{ answers: number; firstList: number; ready: number; cpu: number }> {
    const ended = new Promise((resolve) => this.#agent?.once("exit", resolve));
    this.#agent?.kill("SIGKILL");
    await ended;
    const began = performance.now();
    await this.#launch();
    const answers = performance.now() - began;
    const { count } = await this.#ready();
    await this.allReady(pods);
    return { answers, firstList: count, ready: performance.now() - began, cpu: await this.cpuSeconds() };
  }

  async pods(): Promise<readonly Pod[]> {
    // A kubelet writes null for none.
    return (JSON.parse(await this.#get("/pods")) as { items: Pod[] | null }).items ?? [];
  }

  async #ready(): Promise<{ readonly count: number; readonly ready: number }> {
    const items = await this.pods();
    const isReady = (pod: Pod): boolean =>
      pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
    return { count: items.length, ready: items.filter(isReady).length };
  }

  cpuSeconds(): Promise<number> {
    return cpuSecondsOf(this.#agent?.pid ?? 0);
  }

  residentBytes(): Promise<number> {
    return residentBytesOf(this.#agent?.pid ?? 0);
  }

  peakBytes(): Promise<number> {
    return residentBytesOf(this.#agent?.pid ?? 0, "VmHWM");
  }

  async remove(): Promise<void> {
    await this.#end();
    await this.runtime.close();
    await this.program.leave(this.folder);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return;
    const ended = new Promise((resolve) => agent.once("exit", resolve));
    agent.kill("SIGTERM");
    await ended;
  }

  #get(where: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = http.get({ ...this.program.at(this.folder), path: where }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          // It says so while it starts.
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${where}: ${response.statusCode} ${text}`));
        });
      });
      request.on("error", reject);
    });
  }
}

function manifest(name: string): string {
  const container = { name: "main", image: IMAGE, imagePullPolicy: "IfNotPresent", command: COMMAND };
  const spec = { terminationGracePeriodSeconds: 2, containers: [container] };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}

/** Milliseconds between two looks: with few pods the pause would be the figure, with many the looks would slow them. */
function stepFor(pods: number): number {
  return pods < 10 ? 2 : 250;
}

async function until(what: string, holds: () => Promise<boolean>, seconds: number, step = 30): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, step));
  }
}
