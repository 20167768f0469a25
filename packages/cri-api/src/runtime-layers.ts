/**
 * What lies between the agent and its runtime. From outside in: bounded lists, cached image statuses, metrics, the runtime; agent/parts/runtime.ts puts
 * them together.
 */

import { type Clock, errorText, Semaphore } from "@hooklet/utils";
import { isRuntimeError } from "./errors.js";
import type { Container, Image, Runtime, Sandbox } from "./port.js";

/** The runtime with some methods in place of its own; the others run on the runtime itself. */
export function overriding(runtime: Runtime, methods: Partial<Runtime>): Runtime {
  return new Proxy(runtime, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return Reflect.get(methods, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

// The runtime with every call counted and timed under the kubelet's operation names.

const OPERATIONS: Partial<Record<keyof Runtime, string>> = {
  runSandbox: "run_podsandbox",
  stopSandbox: "stop_podsandbox",
  removeSandbox: "remove_podsandbox",
  listSandboxes: "list_podsandbox",
  sandboxStatus: "podsandbox_status",
  createContainer: "create_container",
  startContainer: "start_container",
  stopContainer: "stop_container",
  removeContainer: "remove_container",
  listContainers: "list_containers",
  containerStatus: "container_status",
  updateContainerResources: "update_container",
  execSync: "exec_sync",
  exec: "exec",
  streamUrl: "stream_url",
  imageStatus: "image_status",
  listImages: "list_images",
  pullImage: "pull_image",
  removeImage: "remove_image",
  imageFsInfo: "image_fs_info",
  listContainerStats: "list_container_stats",
};

/** Called at the end of each call. */
interface OperationMetrics {
  runtimeOperation(operation: string, seconds: number, failed: boolean): void;
}

export function instrumented(runtime: Runtime, metrics: OperationMetrics, clock: Clock): Runtime {
  const methods = Object.entries(OPERATIONS).flatMap(([key, operation]) => {
    // Read again at each call: a method may be replaced meanwhile.
    const method = (): unknown => runtime[key as keyof Runtime];
    if (typeof method() !== "function") return [];
    const measured = async (...args: readonly unknown[]): Promise<unknown> => {
      const began = clock.monotonic();
      let failed = true;
      try {
        const result: unknown = await Reflect.apply(method() as () => unknown, runtime, args);
        failed = false;
        return result;
      } finally {
        metrics.runtimeOperation(operation, (clock.monotonic() - began) / 1000, failed);
      }
    };
    return [[key, measured]];
  });
  return overriding(runtime, Object.fromEntries(methods));
}

// Bounded lists of everything that a runtime has: a list too large for one answer is read pod by pod, and of too many entries the running ones are kept.
// Long texts of one pod, or many containers of another program, do not stop the agent.

/** Sandboxes, or containers, that are read: a hundred times what a node has. */
const MAX_LISTED = 10_000;
/** Pods that are read at the same time. */
const ASKED_AT_ONCE = 16;
/** Milliseconds for which a list that was too large is read in parts without another try. */
const READ_IN_PARTS = 60_000;

interface ListPorts {
  readonly clock: Clock;
  /** Uids of the pods that have a directory of this agent. */
  knownUids(): Promise<readonly string[]>;
  /** Reports what is left out, or read in parts. */
  warn(text: string): void;
}

type Kind = "sandboxes" | "containers";

/** The runtime with lists that stay bounded, whatever the runtime has. */
export function withBoundedLists(runtime: Runtime, ports: ListPorts): Runtime {
  const lists = new BoundedLists(runtime, ports);
  return overriding(runtime, {
    listSandboxes: (filter) => lists.sandboxes(filter),
    listContainers: (filter) => lists.containers(filter),
  });
}

type SandboxFilter = Parameters<Runtime["listSandboxes"]>[0];
type ContainerFilter = Parameters<Runtime["listContainers"]>[0];

class BoundedLists {
  readonly #slots = new Semaphore(ASKED_AT_ONCE);
  /** Monotonic milliseconds until which a list is read in parts. */
  readonly #inParts = new Map<Kind, number>();

  constructor(
    private readonly runtime: Runtime,
    private readonly ports: ListPorts,
  ) {}

  async sandboxes(filter?: SandboxFilter): Promise<readonly Sandbox[]> {
    if (filter !== undefined) return this.runtime.listSandboxes(filter);
    const all = await this.#all(
      "sandboxes",
      () => this.runtime.listSandboxes(),
      (podUid) => this.runtime.listSandboxes({ podUid }),
    );
    return this.#newest("sandboxes", all, ({ state }) => state === "SANDBOX_READY");
  }

  async containers(filter?: ContainerFilter): Promise<readonly Container[]> {
    if (filter !== undefined) return this.runtime.listContainers(filter);
    const all = await this.#all(
      "containers",
      () => this.runtime.listContainers(),
      (podUid) => this.runtime.listContainers({ podUid }),
    );
    return this.#newest(
      "containers",
      all,
      ({ state }) => state === "CONTAINER_RUNNING" || state === "CONTAINER_UNKNOWN",
    );
  }

  async #all<T>(
    kind: Kind,
    whole: () => Promise<readonly T[]>,
    part: (uid: string) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const { clock, knownUids, warn } = this.ports;
    if ((this.#inParts.get(kind) ?? 0) <= clock.monotonic()) {
      try {
        return await whole();
      } catch (error) {
        if (!isRuntimeError(error, "resource-exhausted")) throw error;
        this.#inParts.set(kind, clock.monotonic() + READ_IN_PARTS);
        warn(
          `the runtime's list of ${kind} is too large for one answer (${errorText(error)}): hooklet asks pod by pod, for the pods that have a directory of this agent. Remove ${kind} with long annotations`,
        );
      }
    }
    const ask = async (uid: string): Promise<readonly T[]> => {
      try {
        return await this.#slots.run(() => part(uid));
      } catch (error) {
        if (!isRuntimeError(error, "resource-exhausted")) throw error;
        warn(
          `the runtime's list of the ${kind} of pod ${uid} is too large (${errorText(error)}): hooklet leaves this pod alone. Remove its containers by hand`,
        );
        return [];
      }
    };
    const uids = [...new Set(await knownUids())].slice(0, MAX_LISTED);
    return (await Promise.all(uids.map(ask))).flat();
  }

  #newest<T extends { readonly createdAt: bigint }>(
    kind: Kind,
    all: readonly T[],
    runs: (one: T) => boolean,
  ): readonly T[] {
    if (all.length <= MAX_LISTED) return all;
    this.ports.warn(
      `the runtime has ${all.length} ${kind}: hooklet looks at ${MAX_LISTED} of them, those that run and the newest of the others. Remove unused ones`,
    );
    const rank = (one: T): number => (runs(one) ? 0 : 1);
    const newestFirst = (a: T, b: T): number => (a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : 0);
    return all.toSorted((a, b) => rank(a) - rank(b) || newestFirst(a, b)).slice(0, MAX_LISTED);
  }
}

// Caches the status of an existing image for a moment: many pods that start together ask for the same one.

/** Milliseconds. */
const CACHED = 1_000;

/** The runtime, with at most one status call per image and second; a pull or a removal clears the cache. */
export function withSharedImages(runtime: Runtime, clock: Clock): Runtime {
  const asked = new Map<string, { readonly at: number; readonly status: Promise<Image | undefined> }>();
  const status: Runtime["imageStatus"] = async (image, handler) => {
    const now = clock.monotonic();
    for (const [key, { at }] of asked) if (now - at >= CACHED) asked.delete(key);
    const key = JSON.stringify([image, handler]);
    const one = asked.get(key) ?? { at: now, status: runtime.imageStatus(image, handler) };
    asked.set(key, one);
    const found = await one.status.catch(() => undefined);
    if (found === undefined && asked.get(key) === one) asked.delete(key);
    return one.status;
  };
  const clear = (): void => asked.clear();
  return overriding(runtime, {
    imageStatus: status,
    pullImage: (...args) => runtime.pullImage(...args).finally(clear),
    removeImage: (...args) => runtime.removeImage(...args).finally(clear),
  });
}
