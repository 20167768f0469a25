/** The built binary as people run it: a real agent process on a folder of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { AgentClient } from "@hooklet/cli/client";
import { removeTree } from "@hooklet/linux";
import { unmountBelow } from "../../scripts/machine.mjs";
import { root } from "../sources.js";

export const binary = path.join(root, "packages/hooklet/bin/hooklet.js");

const run = promisify(execFile);

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface V1Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly V1ContainerStatus[];
    readonly initContainerStatuses?: readonly V1ContainerStatus[];
  };
}

export interface V1ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly state: {
    readonly running?: { readonly startedAt: string };
    readonly waiting?: { readonly reason: string; readonly message?: string };
    readonly terminated?: { readonly exitCode: number; readonly reason: string; readonly message?: string };
  };
  readonly lastState: { readonly terminated?: { readonly exitCode: number; readonly finishedAt: string } };
}

/** A folder with an agent's root dir and manifests; several agents may follow each other in it. */
export class Workplace {
  #agent: ChildProcess | undefined;
  output = "";
  /** Put on top of the environment of agents that are started. */
  env: Readonly<Record<string, string>> = {};

  private constructor(readonly folder: string) {}

  static async create(): Promise<Workplace> {
    if (!existsSync(path.join(root, "packages/hooklet/dist"))) throw new Error("not built: run pnpm build first");
    const workplace = new Workplace(await mkdtemp(path.join(tmpdir(), "hooklet-e2e-")));
    await mkdir(workplace.manifests);
    return workplace;
  }

  get manifests(): string {
    return path.join(this.folder, "manifests");
  }

  /** Of the agent that was started last. */
  get pid(): number | undefined {
    return this.#agent?.pid;
  }

  get rootDir(): string {
    return path.join(this.folder, "root");
  }

  async manifest(name: string, text: string): Promise<void> {
    await writeFile(path.join(this.manifests, name), text);
  }

  async copyManifests(from: string): Promise<void> {
    await cp(from, this.manifests, { recursive: true });
  }

  async removeManifest(name: string): Promise<void> {
    await rm(path.join(this.manifests, name));
  }

  /** Starts an agent and waits until it answers. */
  async start(...args: readonly string[]): Promise<void> {
    const agent = spawn(binary, ["run", ...this.#flags(), "--manifests", this.manifests, "--port", "0", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: this.folder,
      env: { ...process.env, ...this.env },
    });
    this.#agent = agent;
    for (const stream of [agent.stdout, agent.stderr])
      stream?.on("data", (data: Buffer) => (this.output += data.toString()));
    await until("the agent answers", async () => {
      const { exitCode, signalCode } = agent;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`the agent ended with ${exitCode ?? signalCode}:\n${this.output}`);
      return this.#asked((client) => client.pods()).then(
        () => true,
        () => false,
      );
    });
  }

  /** Whether the agent that was started last has not ended. */
  get runs(): boolean {
    return this.#agent !== undefined && this.#agent.exitCode === null && this.#agent.signalCode === null;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** SIGTERM: the pods run on. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined || !this.runs) return;
    const ended = new Promise((resolve) => agent.once("exit", resolve));
    agent.kill(signal);
    await ended;
  }

  async hooklet(...args: readonly string[]): Promise<Result> {
    return hooklet([...args.slice(0, 1), ...this.#flags(), ...args.slice(1)], this.folder);
  }

  /** What `hooklet events` prints. @throws when no agent answers */
  async events(): Promise<string> {
    const { code, stdout, stderr } = await this.hooklet("events");
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Of all namespaces. Over the socket: who waits for something asks often, and a program for each question would keep a core busy. */
  async pods(): Promise<readonly V1Pod[]> {
    return this.#asked(async (client) => (await client.pods()) as readonly V1Pod[]);
  }

  async pod(prefix: string): Promise<V1Pod | undefined> {
    return (await this.pods()).find(({ metadata }) => metadata.name.startsWith(prefix));
  }

  /** Stops pods and agent and removes everything. */
  async remove(): Promise<void> {
    const agent = this.#agent;
    if (agent !== undefined && agent.exitCode === null && agent.signalCode === null) {
      const ended = new Promise((resolve) => agent.once("exit", resolve));
      agent.kill("SIGINT");
      const impatient = setTimeout(() => agent.kill("SIGINT"), 15_000);
      await ended;
      clearTimeout(impatient);
    }
    // An agent that was killed leaves what it mounted for its pods, and folders that are closed for an ordinary user.
    if (process.getuid?.() === 0) unmountBelow(this.folder);
    await removeTree(this.folder);
  }

  /** By a connection of its own: the agent may be killed and started between two questions. */
  async #asked<T>(question: (client: AgentClient) => Promise<T>): Promise<T> {
    const client = new AgentClient(path.join(this.rootDir, "hooklet.sock"));
    try {
      return await question(client);
    } finally {
      await client.close();
    }
  }

  #flags(): readonly string[] {
    return ["--root-dir", this.rootDir];
  }
}

export async function hooklet(args: readonly string[], cwd: string): Promise<Result> {
  try {
    const { stdout, stderr } = await run(binary, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const failed = error as { code?: number; stdout?: string; stderr?: string };
    return { code: failed.code ?? 1, stdout: failed.stdout ?? "", stderr: failed.stderr ?? String(error) };
  }
}

/** @param what said when it was in vain; a function: as it is then */
export async function until(what: string | (() => string), holds: () => Promise<boolean>, seconds = 90): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited ${seconds} s in vain: ${typeof what === "string" ? what : what()}`);
}

/** A closed TCP port, below those that the kernel gives to programs that ask for any: no other program gets it until it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) =>
      server.once("error", () => resolve(false)).listen(port, () => server.close(() => resolve(true))),
    );
    if (isFree) return port;
  }
}
