import { createHash } from "node:crypto";
import { type Clock, withDeadline } from "@hooklet/core";
import { type ContainerConfig, RuntimeError, type RuntimeEvent, type SandboxConfig } from "@hooklet/core/host";
import type { ContainerRecord, SandboxRecord } from "./container-records.js";
import { ContainerFiles, LogFile } from "./files.js";
import { type Exit, SimulatedProcess } from "./process.js";
import type { Scripts } from "./scripts.js";

const OUTPUT_KEPT = 64 * 1024;

/** Sandboxes and containers of the simulated node, and what may happen to them. */
export class NodeState {
  readonly sandboxes = new Map<string, SandboxRecord>();
  readonly containers = new Map<string, ContainerRecord>();
  readonly #clock: Clock;
  readonly #scripts: Scripts;
  readonly #writeLogs: boolean;
  readonly #emit: (event: RuntimeEvent) => void;
  readonly #term: (container: ContainerRecord, process: SimulatedProcess) => void;
  readonly #ids = new Ids();

  /** @param term sends TERM to a container's process */
  constructor(
    clock: Clock,
    scripts: Scripts,
    writeLogs: boolean,
    emit: (event: RuntimeEvent) => void,
    term: (container: ContainerRecord, process: SimulatedProcess) => void,
  ) {
    this.#clock = clock;
    this.#scripts = scripts;
    this.#writeLogs = writeLogs;
    this.#emit = emit;
    this.#term = term;
  }

  sandbox(id: string): SandboxRecord {
    const record = this.sandboxes.get(id);
    if (record === undefined) throw new RuntimeError("not-found", `no sandbox ${id} on the simulated node`);
    return record;
  }

  container(id: string): ContainerRecord {
    const record = this.containers.get(id);
    if (record === undefined) throw new RuntimeError("not-found", `no container ${id} on the simulated node`);
    return record;
  }

  runSandbox(config: SandboxConfig): string {
    const { uid, attempt, name } = config.metadata;
    for (const other of this.sandboxes.values()) {
      if (other.config.metadata.uid === uid && other.config.metadata.attempt === attempt) {
        throw new RuntimeError(
          "already-exists",
          `pod ${name} has a sandbox of attempt ${attempt} already: ${other.id}`,
        );
      }
    }
    const id = this.#ids.next(`sandbox ${uid} ${attempt}`);
    this.sandboxes.set(id, { id, config, createdAt: this.#now(), ip: this.#ids.ip(uid), ready: true });
    this.#notify(uid, "", "CONTAINER_STARTED");
    return id;
  }

  /** All that run in the sandbox are killed. */
  stopSandbox(id: string): void {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.#of(sandbox)) container.process?.exit(137);
    if (!sandbox.ready) return;
    sandbox.ready = false;
    this.#notify(sandbox.config.metadata.uid, "", "CONTAINER_STOPPED");
  }

  removeSandbox(id: string): void {
    this.stopSandbox(id);
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.#of(sandbox)) this.removeContainer(container.id);
    this.sandboxes.delete(id);
    this.#notify(sandbox.config.metadata.uid, "", "CONTAINER_DELETED");
  }

  createContainer(sandboxId: string, config: ContainerConfig): string {
    const sandbox = this.sandbox(sandboxId);
    if (!sandbox.ready) throw new RuntimeError("failed-precondition", `sandbox ${sandboxId} is not ready`);
    const { name, attempt } = config.metadata;
    for (const other of this.#of(sandbox)) {
      if (other.config.metadata.name === name && other.config.metadata.attempt === attempt) {
        throw new RuntimeError("already-exists", `container ${name} has an attempt ${attempt} already: ${other.id}`);
      }
    }
    const id = this.#ids.next(`container ${sandbox.config.metadata.uid} ${name} ${attempt}`);
    this.containers.set(id, {
      id,
      config,
      sandbox,
      createdAt: this.#now(),
      files: new ContainerFiles(config.mounts),
      resources: config.linux.resources,
      stats: {},
      startedAt: 0n,
      finishedAt: 0n,
      output: "",
      onEnd: new Set(),
    });
    this.#notify(sandbox.config.metadata.uid, id, "CONTAINER_CREATED");
    return id;
  }

  startContainer(id: string): void {
    const container = this.container(id);
    const { config, sandbox } = container;
    if (container.process !== undefined || container.exit !== undefined) {
      throw new RuntimeError("failed-precondition", `container ${id} was started already`);
    }
    if (!sandbox.ready) throw new RuntimeError("failed-precondition", `sandbox ${sandbox.id} is not ready`);
    const program = this.#scripts.forContainer({ config, sandbox: sandbox.config });
    container.startedAt = this.#now();
    if (program === "missing") {
      const message = `exec: "${config.command[0]}": executable file not found in $PATH`;
      this.#end(container, { code: 128, reason: "StartError", message });
      throw new RuntimeError("start-error", message);
    }
    const log = new LogFile(`${sandbox.config.logDirectory}/${config.logPath}`, () => this.#clock.now());
    if (this.#writeLogs) log.open();
    container.process = new SimulatedProcess(this.#clock, {
      argv: [...config.command, ...config.args],
      env: Object.fromEntries(config.envs.map(({ key, value }) => [key, value])),
      workingDir: config.workingDir || "/",
      user: config.linux.securityContext.runAsUser ?? 0,
      files: container.files,
      output: (stream, text) => {
        container.output = (container.output + text).slice(-OUTPUT_KEPT);
        if (this.#writeLogs) log.write(stream, text);
      },
      exited: (exit) => this.#end(container, exit),
    });
    this.#notify(sandbox.config.metadata.uid, id, "CONTAINER_STARTED");
    program(container.process);
  }

  /** TERM, grace, KILL; resolves when it has ended. */
  async stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    const container = this.containers.get(id);
    const process = container?.process;
    if (container === undefined || process === undefined) return;
    if (gracePeriodSeconds > 0) {
      const ended = new Promise<boolean>((resolve) => container.onEnd.add(() => resolve(true)));
      this.#term(container, process);
      const grace = gracePeriodSeconds * 1000;
      await withDeadline(this.#clock, grace, ended, () => new Error("grace is over")).catch(() => false);
    }
    process.exit(137);
  }

  removeContainer(id: string): void {
    const container = this.containers.get(id);
    if (container === undefined) return;
    container.process?.exit(137);
    this.containers.delete(id);
    this.#notify(container.sandbox.config.metadata.uid, id, "CONTAINER_DELETED");
  }

  /** The pod's containers, oldest first. */
  containersOf(pod: string): readonly ContainerRecord[] {
    return [...this.containers.values()].filter(({ sandbox }) => isOf(pod, sandbox));
  }

  /** The newest container of this name in the pod. */
  newest(pod: string, name: string): ContainerRecord {
    const ofPod = this.containersOf(pod);
    const found = ofPod.findLast((container) => container.config.metadata.name === name);
    if (found !== undefined) return found;
    const known = [...new Set(ofPod.map((container) => container.config.metadata.name))].join(", ");
    throw new Error(
      `The simulated node has no container ${name} of pod ${pod}; it has ${known || "none of that pod"}.`,
    );
  }

  newestSandbox(pod: string): SandboxRecord {
    const found = [...this.sandboxes.values()].findLast((sandbox) => isOf(pod, sandbox));
    if (found === undefined) throw new Error(`The simulated node has no sandbox of pod ${pod}.`);
    return found;
  }

  #end(container: ContainerRecord, exit: Exit): void {
    delete container.process;
    container.exit = exit;
    container.finishedAt = this.#now();
    for (const run of container.onEnd) run();
    container.onEnd.clear();
    this.#notify(container.sandbox.config.metadata.uid, container.id, "CONTAINER_STOPPED");
  }

  #of(sandbox: SandboxRecord): ContainerRecord[] {
    return [...this.containers.values()].filter((container) => container.sandbox === sandbox);
  }

  #notify(podUid: string, containerId: string, type: RuntimeEvent["type"]): void {
    this.#emit({ podUid, containerId, type });
  }

  /** Nanoseconds since the epoch. */
  #now(): bigint {
    const milliseconds = Math.floor(this.#clock.now());
    return BigInt(milliseconds) * 1_000_000n + BigInt(Math.floor((this.#clock.now() - milliseconds) * 1e6));
  }
}

/** A pod is meant by its name or its uid. */
function isOf(pod: string, { config: { metadata } }: SandboxRecord): boolean {
  return metadata.name === pod || metadata.uid === pod;
}

/**
 * Ids that depend on what they name and not on the order of creation, since concurrent pods start in no fixed
 * order. 64 hex digits, as containerd's.
 */
class Ids {
  readonly #used = new Map<string, number>();
  readonly #ips = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Another one each time the same thing is made again. */
  next(what: string): string {
    const times = this.#used.get(what) ?? 0;
    this.#used.set(what, times + 1);
    return createHash("sha256").update(`${what} ${times}`).digest("hex");
  }

  /** The address of a pod, unique in 10.64.0.0/10. */
  ip(podUid: string): string {
    const known = this.#ips.get(podUid);
    if (known !== undefined) return known;
    for (let times = 0; ; times++) {
      const hash = createHash("sha256").update(`${podUid} ${times}`).digest();
      const ip = `10.${64 + ((hash[0] ?? 0) & 63)}.${hash[1]}.${hash[2]}`;
      if (this.#taken.has(ip)) continue;
      this.#taken.add(ip);
      this.#ips.set(podUid, ip);
      return ip;
    }
  }
}
