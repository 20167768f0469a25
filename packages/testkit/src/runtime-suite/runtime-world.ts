import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ContainerStatus, Mount } from "@hooklet/core";
import type { ContainerConfig, Runtime, SandboxConfig } from "@hooklet/core/host";
import { containerConfig, sandboxConfig } from "./configs.js";
import type { RuntimeHarness } from "./harness.js";
import type { Program, Programs } from "./programs.js";

/** Milliseconds after which the suite stops waiting for something that should be quick. */
const PATIENCE = 60_000;

/** One check's runtime, with short ways to do what most checks do. */
export class World {
  readonly #pods = new Map<string, SandboxConfig>();
  #runtime: Runtime;

  private constructor(
    readonly harness: RuntimeHarness,
    readonly directory: string,
    runtime: Runtime,
  ) {
    this.#runtime = runtime;
  }

  static async make(harness: RuntimeHarness): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), "hooklet-runtime-"));
    const runtime = await harness.open(directory);
    const world = new World(harness, directory, runtime);
    await world.settled(runtime.start());
    return world;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  get programs(): Programs {
    return this.harness.programs;
  }

  /** The outcome of `work`, with time passing until it has one. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const watched = work.finally(() => {
      done = true;
    });
    watched.catch(() => {});
    const started = this.harness.clock.monotonic();
    while (!done) {
      if (this.harness.clock.monotonic() - started > 2 * PATIENCE) {
        throw new Error(`A call of the runtime did not settle within ${2 * PATIENCE} ms.`);
      }
      await Promise.race([watched.catch(() => {}), this.harness.pass(20)]);
    }
    return watched;
  }

  /** Lets time pass until `predicate` holds; fails naming `what` when that takes too long. */
  async wait(what: string, predicate: () => boolean | Promise<boolean>): Promise<void> {
    const started = this.harness.clock.monotonic();
    while (!(await predicate())) {
      if (this.harness.clock.monotonic() - started > PATIENCE) {
        throw new Error(`Waited ${PATIENCE} ms in vain: ${what}.`);
      }
      await this.harness.pass(20);
    }
  }

  /** Runs a sandbox; its pod has a new uid unless `replaces` names an older one. */
  async sandbox(options: { attempt?: number; replaces?: string } = {}): Promise<{ id: string; config: SandboxConfig }> {
    return this.runSandbox(this.sandboxConfig(options));
  }

  sandboxConfig(options: { attempt?: number; replaces?: string } = {}): SandboxConfig {
    return sandboxConfig(this.directory, options.attempt ?? 0, options.replaces);
  }

  async runSandbox(config: SandboxConfig): Promise<{ id: string; config: SandboxConfig }> {
    const id = await this.settled(this.#runtime.runSandbox(config));
    this.#pods.set(id, config);
    return { id, config };
  }

  /** A container's config in this sandbox, by the image's name alone. */
  config(program: Program, sandbox: SandboxConfig, changes: Partial<ContainerConfig> = {}): ContainerConfig {
    return containerConfig(program, program.image, sandbox, changes);
  }

  mount(hostPath: string, containerPath: string): Mount {
    return { hostPath, containerPath, readonly: false, selinuxRelabel: false, propagation: "PRIVATE" };
  }

  /** Creates a container, in a new sandbox unless one is given. */
  async create(program: Program, changes: Partial<ContainerConfig> = {}, sandboxId?: string): Promise<string> {
    const id = sandboxId ?? (await this.sandbox()).id;
    const sandbox = this.#pods.get(id);
    if (sandbox === undefined) throw new Error(`No sandbox ${id} in this check.`);
    const image = await this.settled(this.#runtime.imageStatus(program.image));
    if (image === undefined) {
      throw new Error(`The harness must provide the image ${program.image} of its programs; imageStatus knows none.`);
    }
    const config = containerConfig(program, image.id, sandbox, changes);
    await mkdir(dirname(join(sandbox.logDirectory, config.logPath)), { recursive: true });
    return this.settled(this.#runtime.createContainer(id, config, sandbox));
  }

  async start(program: Program, changes: Partial<ContainerConfig> = {}, sandboxId?: string): Promise<string> {
    const id = await this.create(program, changes, sandboxId);
    await this.settled(this.#runtime.startContainer(id));
    return id;
  }

  /** Starts a program that ends with this code at TERM, or ignores it; resolves once a signal finds it ready. */
  async listening(term: number | "ignored", sandboxId?: string): Promise<string> {
    const { listens, runsUntilTerm, ignoresTerm } = this.programs;
    if (listens === undefined) {
      const id = await this.start(term === "ignored" ? ignoresTerm() : runsUntilTerm(term), {}, sandboxId);
      await this.harness.pass(300);
      return id;
    }
    const id = await this.start(listens(term), {}, sandboxId);
    await this.wait("the program should listen", async () => (await this.log(await this.status(id))) !== "");
    return id;
  }

  status(id: string): Promise<ContainerStatus> {
    return this.settled(this.#runtime.containerStatus(id));
  }

  /** Waits until the container has ended. */
  async ended(id: string): Promise<ContainerStatus> {
    let status = await this.status(id);
    await this.wait(`container ${id} should end`, async () => {
      status = await this.status(id);
      return status.state === "CONTAINER_EXITED";
    });
    return status;
  }

  /** Runs a container to its end and returns what it wrote. */
  async output(program: Program, changes: Partial<ContainerConfig> = {}): Promise<string> {
    const status = await this.ended(await this.start(program, changes));
    return this.log(status);
  }

  /** What the container wrote to its log file so far, both streams. */
  async log(status: ContainerStatus): Promise<string> {
    const text = await readFile(status.logPath, "utf8");
    if (this.#runtime.logFormat === "raw") return text;
    return text.replaceAll(/^\S+ std(?:out|err) ([PF])(?::\S+)? (.*)\n/gm, (_, tag: string, rest: string) =>
      tag === "F" ? `${rest}\n` : rest,
    );
  }

  /** The agent stops; `meanwhile` happens without one; another agent starts on the same directory. */
  async restartAgent(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.settled(this.#runtime.close());
    await meanwhile();
    this.#runtime = await this.harness.open(this.directory);
    await this.settled(this.#runtime.start());
  }

  /** Removes all that the check made. */
  async cleanUp(): Promise<void> {
    for (const id of this.#pods.keys()) {
      await this.settled(this.#runtime.stopSandbox(id));
      await this.settled(this.#runtime.removeSandbox(id));
    }
    await this.settled(this.#runtime.close());
    await this.harness.cleanUp?.(this.directory);
    await rm(this.directory, { recursive: true, force: true });
  }
}
