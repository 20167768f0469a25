/** Removes dead containers, empty sandboxes and logs of pods that are gone. dead-containers.ts decides which. */
import { errorText } from "@hooklet/core";
import {
  type ContainerPolicy,
  containerIdOfLogLink,
  containersToRemove,
  deadLogLinkGoes,
  logDirectoriesToRemove,
  type PodStates,
  type SeenContainer,
  type SeenSandbox,
  sandboxesToRemove,
} from "./dead-containers.js";
import { aggregate } from "./images/messages.js";

/** A container with the sandbox that it belongs to. */
export type ListedContainer = SeenContainer & { readonly sandboxId: string };
export type ListedSandbox = Omit<SeenSandbox, "hasContainers">;

/** The node, as container garbage collection sees it. Methods reject when the node cannot tell or do it. */
export interface ContainerPorts {
  /** Milliseconds since the epoch, as the times of containers are. */
  now(): number;
  /** Those of Kubernetes pods only. */
  containers(): Promise<readonly ListedContainer[]>;
  sandboxes(): Promise<readonly ListedSandbox[]>;
  /** Stops it first where its state is unknown. */
  removeContainer(id: string): Promise<void>;
  removeSandbox(id: string): Promise<void>;
  pods(): Omit<PodStates, "evictTerminated">;
  /** Names of the folders in the directory of the pods' logs; none when there is no such directory. */
  logDirectories(): Promise<readonly string[]>;
  removeLogDirectory(name: string): Promise<void>;
  /** Names of the links in /var/log/containers whose target is missing. */
  deadLogLinks(): Promise<readonly string[]>;
  removeLogLink(name: string): Promise<void>;
  /** Undefined when the container is not known. */
  containerState(id: string): Promise<SeenContainer["state"] | undefined>;
  /** A single removal failed; the round continues. */
  failed(what: string, error: unknown): void;
}

/** What a round removed, or would. */
export interface Cleaned {
  readonly containers: readonly Removed[];
  readonly sandboxes: readonly Removed[];
  readonly logDirectories: readonly string[];
  /** What could not be listed, as one text; what could was cleaned all the same. */
  readonly failure?: string;
}

export interface Removed {
  readonly id: string;
  readonly podUid: string;
  readonly why: string;
}

export class ContainerCollector {
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ports: ContainerPorts,
    private readonly policy: ContainerPolicy,
  ) {}

  /** One round. `evictTerminated`: what pods that have ended hold goes too, for disk pressure (DeleteAllUnusedContainers). */
  collect(signal: AbortSignal, evictTerminated = false): Promise<Cleaned> {
    const turn = this.#turn.then(() => this.#collect(signal, evictTerminated));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** What the next round would remove. */
  async plan(): Promise<Pick<Cleaned, "containers" | "sandboxes">> {
    const pods = { ...this.ports.pods(), evictTerminated: false };
    const all = await this.ports.containers();
    const containers = this.#dead(all, pods);
    const gone = new Set(containers.map(({ id }) => id));
    const left = all.filter(({ id }) => !gone.has(id));
    return { containers, sandboxes: empty(await this.ports.sandboxes(), left, pods) };
  }

  async #collect(signal: AbortSignal, evictTerminated: boolean): Promise<Cleaned> {
    const pods = { ...this.ports.pods(), evictTerminated };
    const errors: string[] = [];
    const part = async <Item>(work: () => Promise<readonly Item[]>): Promise<readonly Item[]> => {
      try {
        signal.throwIfAborted();
        return await work();
      } catch (error) {
        errors.push(errorText(error));
        return [];
      }
    };
    const containers = await part(() => this.#containers(pods, signal));
    const sandboxes = await part(() => this.#sandboxes(pods, signal));
    const logDirectories = await part(() => this.#logs(pods));
    const cleaned = { containers, sandboxes, logDirectories };
    return errors.length === 0 ? cleaned : { ...cleaned, failure: aggregate(errors) };
  }

  async #containers(pods: PodStates, signal: AbortSignal): Promise<readonly Removed[]> {
    const { ports } = this;
    const dead = this.#dead(await ports.containers(), pods);
    return this.#remove("container", dead, (id) => ports.removeContainer(id), signal);
  }

  async #sandboxes(pods: PodStates, signal: AbortSignal): Promise<readonly Removed[]> {
    const { ports } = this;
    const sandboxes = await ports.sandboxes();
    const gone = empty(sandboxes, await ports.containers(), pods);
    return this.#remove("sandbox", gone, (id) => ports.removeSandbox(id), signal);
  }

  #dead(all: readonly ListedContainer[], pods: PodStates): readonly Removed[] {
    const removals = containersToRemove(all, this.policy, pods, this.ports.now());
    return removals.map(({ container: { id, podUid }, why }) => ({ id, podUid, why }));
  }

  async #remove(
    what: string,
    all: readonly Removed[],
    remove: (id: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<readonly Removed[]> {
    const removed: Removed[] = [];
    for (const one of all) {
      if (signal.aborted) break;
      try {
        await remove(one.id);
        removed.push(one);
      } catch (error) {
        this.ports.failed(`${what} ${one.id}`, error);
      }
    }
    return removed;
  }

  async #logs(pods: PodStates): Promise<readonly string[]> {
    const { ports } = this;
    const removed: string[] = [];
    for (const name of logDirectoriesToRemove(pods.allSourcesReady ? await ports.logDirectories() : [], pods)) {
      try {
        await ports.removeLogDirectory(name);
        removed.push(name);
      } catch (error) {
        ports.failed(`log directory ${name}`, error);
      }
    }
    for (const name of await ports.deadLogLinks()) {
      try {
        const id = containerIdOfLogLink(name);
        const state = id === undefined ? undefined : await ports.containerState(id);
        if (deadLogLinkGoes(state)) await ports.removeLogLink(name);
      } catch (error) {
        ports.failed(`log link ${name}`, error);
      }
    }
    return removed;
  }
}

function empty(
  sandboxes: readonly ListedSandbox[],
  containers: readonly ListedContainer[],
  pods: PodStates,
): readonly Removed[] {
  const holding = new Set(containers.map(({ sandboxId }) => sandboxId));
  const seen = sandboxes.map((sandbox): SeenSandbox => ({ ...sandbox, hasContainers: holding.has(sandbox.id) }));
  return sandboxesToRemove(seen, pods).map(({ sandbox: { id, podUid }, why }) => ({ id, podUid, why }));
}
