import { type Clock, sleep } from "@hooklet/core";
import { RuntimeError, type SandboxConfig } from "@hooklet/core/host";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import type { ContainerRecord } from "./container-records.js";

/** The calls of the runtime port, and whether they change anything. */
const kinds = {
  start: "read",
  info: "read",
  health: "read",
  runSandbox: "write",
  stopSandbox: "write",
  removeSandbox: "write",
  listSandboxes: "read",
  sandboxStatus: "read",
  createContainer: "write",
  startContainer: "write",
  stopContainer: "write",
  removeContainer: "write",
  listContainers: "read",
  containerStatus: "read",
  updateContainerResources: "write",
  execSync: "write",
  exec: "write",
  imageStatus: "read",
  listImages: "read",
  pullImage: "write",
  removeImage: "write",
  imageFsInfo: "read",
  listContainerStats: "read",
  importImage: "write",
  close: "read",
} as const;

export type RuntimeOperation = keyof typeof kinds;

const names = Object.keys(kinds) as RuntimeOperation[];

/** Every call of the simulated runtime goes through here: it is counted, delayed and made to fail as the test says. */
export class Operations {
  readonly calls = Object.fromEntries(names.map((name) => [name, 0])) as Record<RuntimeOperation, number>;
  readonly #delays = new Map<RuntimeOperation, number>();
  readonly #failures = new Map<RuntimeOperation, Error[]>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of calls that change something. */
  get writes(): number {
    return names.reduce((sum, name) => sum + (kinds[name] === "write" ? this.calls[name] : 0), 0);
  }

  delay(operation: RuntimeOperation, milliseconds: number): void {
    this.#delays.set(operation, milliseconds);
  }

  failNext(operation: RuntimeOperation, error: Error | string, times: number): void {
    const failure = typeof error === "string" ? new RuntimeError("unknown", error) : error;
    const waiting = this.#failures.get(operation) ?? [];
    this.#failures.set(operation, [...waiting, ...Array<Error>(times).fill(failure)]);
  }

  /** Does the work of one call, after its delay. The failure is chosen when the call is made. */
  async call<T>(operation: RuntimeOperation, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    this.calls[operation] += 1;
    const failure = this.#failures.get(operation)?.shift();
    signal?.throwIfAborted();
    const delay = this.#delays.get(operation) ?? 0;
    if (delay > 0) await sleep(this.#clock, delay, signal);
    if (failure !== undefined) throw failure;
    return work();
  }
}

// Watchers of a node's containers and images.

export interface RuntimeWatchers {
  /** A sandbox is about to be made: its pod has been admitted. */
  sandbox(pod: SandboxConfig["metadata"]): void;
  started(container: ContainerRecord): void;
  /** Its process has ended, or never ran. */
  ended(container: ContainerRecord): void;
  /** Removed from the node. */
  removed(container: ContainerRecord): void;
  resized(container: ContainerRecord, resources: LinuxContainerResources): void;
  /** An image that was not there. */
  pulled(name: string, id: string, bytes: number): void;
  imageRemoved(id: string, names: readonly string[], bytes: number): void;
}
