/**
 * Bounded lists of everything that a runtime has: a list too large for one answer is read pod by pod, and of too many entries the
 * running ones are kept. Long texts of one pod, or many containers of another program, do not stop the agent.
 */
import { type Clock, errorText, Semaphore } from "@hooklet/utils";
import { isRuntimeError } from "./errors.js";
import type { Container, Runtime, Sandbox } from "./port.js";

/** Sandboxes, or containers, that are read: a hundred times what a node has. */
const MOST = 10_000;
/** Pods that are read at the same time. */
const ASKED_AT_ONCE = 16;
/** Milliseconds for which a list that was too large is read in parts without another try. */
const REMEMBERED = 60_000;

export interface ListPorts {
  readonly clock: Clock;
  /** Uids of pods that may be in the runtime. */
  knownUids(): Promise<readonly string[]>;
  /** Reports what is left out, or read in parts. */
  warn(text: string): void;
}

type Kind = "sandboxes" | "containers";

/** The runtime with lists that no crowd and no text can break. */
export function withBoundedLists(runtime: Runtime, ports: ListPorts): Runtime {
  const lists = new BoundedLists(runtime, ports);
  return new Proxy(runtime, {
    get(target, key) {
      if (key === "listSandboxes") return (filter?: SandboxFilter) => lists.sandboxes(filter);
      if (key === "listContainers") return (filter?: ContainerFilter) => lists.containers(filter);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
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
    return this.#most("sandboxes", all, ({ state }) => state === "SANDBOX_READY");
  }

  async containers(filter?: ContainerFilter): Promise<readonly Container[]> {
    if (filter !== undefined) return this.runtime.listContainers(filter);
    const all = await this.#all(
      "containers",
      () => this.runtime.listContainers(),
      (podUid) => this.runtime.listContainers({ podUid }),
    );
    return this.#most("containers", all, ({ state }) => state === "CONTAINER_RUNNING" || state === "CONTAINER_UNKNOWN");
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
        this.#inParts.set(kind, clock.monotonic() + REMEMBERED);
        warn(
          `the runtime's list of ${kind} is too large for one answer (${errorText(error)}): hooklet asks pod by pod, for the pods that have a folder of this agent. Remove ${kind} with long annotations`,
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
    const uids = [...new Set(await knownUids())].slice(0, MOST);
    return (await Promise.all(uids.map(ask))).flat();
  }

  #most<T extends { readonly createdAt: bigint }>(
    kind: Kind,
    all: readonly T[],
    runs: (one: T) => boolean,
  ): readonly T[] {
    if (all.length <= MOST) return all;
    this.ports.warn(
      `the runtime has ${all.length} ${kind}: hooklet looks at ${MOST} of them, those that run and the newest of the others. Remove unused ones`,
    );
    const rank = (one: T): number => (runs(one) ? 0 : 1);
    const age = (a: T, b: T): number => (a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : 0);
    return all.toSorted((a, b) => rank(a) - rank(b) || age(a, b)).slice(0, MOST);
  }
}
