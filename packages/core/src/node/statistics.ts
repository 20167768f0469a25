/** The node's statistics: one provider, many readers, never two readings at once. */

import { type Clock, hostUnavailable, ownSignal, withDeadline } from "@hooklet/utils";
import type {
  ContainerStatistics,
  NodeMemory,
  NodeStatistics,
  StatisticsProvider,
} from "../plugin/contract/statistics.js";
import { nodeClaimConflict } from "./conditions.js";

/** Seconds that one reading may take. */
const STATISTICS_DEADLINE = 30;
const DEFAULT_MAX_AGE = 10;

interface Reading {
  /** Monotonic milliseconds: what is read is at least as new as this. */
  readonly began: number;
  /** Bounded in time. */
  readonly result: Promise<NodeStatistics>;
  /** Settles when the provider has really come back, which may be after the deadline. */
  readonly over: Promise<void>;
}

interface Provider {
  readonly plugin: string;
  readonly provider: StatisticsProvider;
}

export class StatisticsHub {
  #provider: Provider | undefined;
  #newest: { readonly began: number; readonly statistics: NodeStatistics } | undefined;
  #running: Reading | undefined;
  /** Waits for the reading under way, then reads again. */
  #next: Promise<NodeStatistics | undefined> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly stopped: AbortSignal,
  ) {}

  /** @throws NodeAgentError CLAIM_CONFLICT naming the other provider */
  provide(plugin: string, provider: StatisticsProvider): void {
    if (this.#provider !== undefined && this.#provider.plugin !== plugin) {
      throw nodeClaimConflict("the statistics", this.#provider.plugin, plugin);
    }
    this.#provider = { plugin, provider };
    this.#newest = undefined;
  }

  /** Plugins stop: they are not read any more, and a late answer is dropped. */
  close(): void {
    this.#provider = undefined;
    this.#newest = undefined;
  }

  memory(): NodeMemory | undefined {
    return this.#provider?.provider.memory?.();
  }

  async measureDisks(maxAgeSeconds: number): Promise<void> {
    await this.#provider?.provider.measureDisks?.(maxAgeSeconds);
  }

  /** Undefined when no plugin provides statistics, or its plugin has stopped. */
  async read(maxAgeSeconds = DEFAULT_MAX_AGE): Promise<NodeStatistics | undefined> {
    const provider = this.#provider;
    if (provider === undefined) return undefined;
    const oldest = this.clock.monotonic() - maxAgeSeconds * 1000;
    // Older than requested: with 0 every earlier reading is too old.
    if (this.#newest !== undefined && this.#newest.began > oldest) return this.#newest.statistics;
    const running = this.#running;
    if (running === undefined) return this.#start(provider).result;
    if (running.began >= oldest) return running.result;
    this.#next ??= this.#after(running);
    return this.#within(provider, this.#next);
  }

  async #after(running: Reading): Promise<NodeStatistics | undefined> {
    await running.over;
    this.#next = undefined;
    // It may have been replaced, or have stopped, meanwhile.
    return this.#provider && this.#start(this.#provider).result;
  }

  #start(provider: Provider): Reading {
    const began = this.clock.monotonic();
    const own = ownSignal(this.stopped);
    const read = (async () => provider.provider.read(own.signal))();
    const over = read
      .then(
        (statistics) => {
          this.#running = undefined;
          if (this.#provider === provider) this.#newest = { began, statistics };
        },
        () => {
          this.#running = undefined;
        },
      )
      .finally(() => own.close());
    const result = this.#within(provider, read);
    result.catch((error: unknown) => own.abort(error));
    this.#running = { began, result, over };
    return this.#running;
  }

  #within<T>({ plugin }: Provider, work: Promise<T>): Promise<T> {
    const text = `The statistics of plugin "${plugin}" did not come within ${STATISTICS_DEADLINE} s; it is still reading`;
    const late = (): Error => hostUnavailable(text, { plugin });
    return withDeadline(this.clock, STATISTICS_DEADLINE * 1000, work, late);
  }
}

/** `/stats/summary?only_cpu_and_memory=true`, as the kubelet cuts it (GetCPUAndMemoryStats). */
export function cpuAndMemoryOnly({ node, pods }: NodeStatistics): NodeStatistics {
  return {
    node: {
      nodeName: node.nodeName,
      startTime: node.startTime,
      ...(node.systemContainers && { systemContainers: node.systemContainers.map(ofContainer) }),
      ...(node.cpu && { cpu: node.cpu }),
      ...(node.memory && { memory: node.memory }),
      ...(node.swap && { swap: node.swap }),
    },
    pods: pods.map(({ podRef, startTime, containers, cpu, memory, swap }) => ({
      podRef,
      startTime,
      containers: containers.map(ofContainer),
      ...(cpu && { cpu }),
      ...(memory && { memory }),
      ...(swap && { swap }),
    })),
  };
}

function ofContainer({ name, startTime, cpu, memory, swap }: ContainerStatistics): ContainerStatistics {
  return { name, startTime, ...(cpu && { cpu }), ...(memory && { memory }), ...(swap && { swap }) };
}
