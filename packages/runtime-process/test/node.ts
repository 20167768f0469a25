/** One node for a test: a fresh root dir, a runtime on it, and short ways to run containers of image `host`. */
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContainerStatus, type Mount, sleep } from "@hooklet/core";
import type { ContainerConfig, SandboxConfig } from "@hooklet/core/host";
import { readStat, removeTree } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { containerConfig, sandboxConfig } from "../../testkit/src/runtime-suite/configs.js";
import type { ProcessRuntimeOptions } from "../src/options.js";

import type { ProcessRuntime } from "../src/process-runtime.js";
import { openRuntime, recordingLog } from "./harness.js";
import { contentOf } from "./log-content.js";

export class TestNode {
  readonly said: string[] = [];
  runtime: ProcessRuntime;
  readonly #sandboxes = new Map<string, SandboxConfig>();

  private constructor(
    readonly directory: string,
    readonly options: Partial<ProcessRuntimeOptions>,
  ) {
    this.runtime = this.#open();
  }

  static async start(options: Partial<ProcessRuntimeOptions> = {}): Promise<TestNode> {
    const node = new TestNode(await mkdtemp(join(tmpdir(), "hooklet-process-")), options);
    await node.runtime.start();
    return node;
  }

  /** The old agent is closed, a new one takes over. */
  async newAgent(): Promise<void> {
    await this.runtime.close();
    this.runtime = this.#open();
    await this.runtime.start();
  }

  folder(containerId: string): string {
    return join(this.directory, "runtime-process", "containers", containerId);
  }

  mount(hostPath: string, containerPath: string, readonly = false): Mount {
    return { hostPath, containerPath, readonly, selinuxRelabel: false, propagation: "PRIVATE" };
  }

  async sandbox(changes: Partial<SandboxConfig> = {}): Promise<string> {
    const config = { ...sandboxConfig(this.directory, 0), ...changes };
    const id = await this.runtime.runSandbox(config);
    this.#sandboxes.set(id, config);
    return id;
  }

  async create(
    command: readonly string[],
    changes: Partial<ContainerConfig> = {},
    sandboxId?: string,
  ): Promise<string> {
    const id = sandboxId ?? (await this.sandbox());
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) throw new Error(`no sandbox ${id}`);
    const config = containerConfig({ image: "host", command }, "host", sandbox, changes);
    return this.runtime.createContainer(id, config, sandbox);
  }

  async run(command: readonly string[], changes: Partial<ContainerConfig> = {}): Promise<string> {
    const id = await this.create(command, changes);
    await this.runtime.startContainer(id);
    return id;
  }

  sh(script: string, changes: Partial<ContainerConfig> = {}): Promise<string> {
    return this.run(["/bin/sh", "-c", script], changes);
  }

  async ended(id: string): Promise<ContainerStatus> {
    let status = await this.runtime.containerStatus(id);
    await until("the container should end", async () => {
      status = await this.runtime.containerStatus(id);
      return status.state === "CONTAINER_EXITED";
    });
    return status;
  }

  /** Runs to the end; what it wrote. */
  async output(script: string, changes: Partial<ContainerConfig> = {}): Promise<string> {
    return this.log(await this.ended(await this.sh(script, changes)));
  }

  async log(status: ContainerStatus): Promise<string> {
    return contentOf(await readFile(status.logPath, "utf8"));
  }

  /** Pids of a container's first process and its shim. */
  async pids(id: string): Promise<{ readonly main: number; readonly shim: number }> {
    const [, main = "", shim = ""] = (await readFile(join(this.folder(id), "pids"), "utf8")).split("\n");
    return { main: Number.parseInt(main, 10), shim: Number.parseInt(shim, 10) };
  }

  async end(): Promise<void> {
    for (const { id } of await this.runtime.listSandboxes()) await this.runtime.removeSandbox(id);
    await this.runtime.close();
    await removeTree(this.directory);
  }

  #open(): ProcessRuntime {
    return openRuntime(this.directory, this.options, recordingLog(this.said));
  }
}

export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  const started = systemClock.monotonic();
  while (!(await done())) {
    if (systemClock.monotonic() - started > 90_000) throw new Error(`waited 90 s in vain: ${what}`);
    await sleep(systemClock, 10);
  }
}

/** A zombie has ended, it only waits for its parent. */
export function alive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== "Z";
}
