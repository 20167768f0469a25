/** Statistics for the rounds: those of the node's provider, and the values that only eviction needs. */
import { Labels, type NodeContext, sleep } from "@hooklet/core";
import { type KernelRead, meminfoBytes, processesByContainer } from "@hooklet/core/rules";
import type { Asked, MemoryStatistics, NodeStatistics, PodStatistics, Statistics } from "./observations.js";
import type { EvictionOptions } from "./options.js";
import { stallWindows } from "./parse-thresholds.js";
import { movedBetween, movedSoFar } from "./processes.js";
import { StallMeter } from "./stall.js";

/** Maximum age in seconds: evictions for a full disk must not rely on older numbers. */
const LATELY = 10;
/** Milliseconds between the two samples of process I/O. */
const LOOK = 1000;

export class NodeStatisticsReader {
  readonly #stalls: StallMeter;

  constructor(
    private readonly ctx: NodeContext,
    private readonly options: Pick<EvictionOptions, "memorySource" | "psi">,
  ) {
    this.#stalls = new StallMeter(stallWindows(options.psi));
  }

  /** All of them, afresh. Rejects when they cannot be had. */
  async read(): Promise<Statistics> {
    const provided = await this.#provided();
    return {
      node: { ...provided.node, ...this.#own(this.ctx.host.kernel) },
      pods: async (what) => this.#pods(what, () => provided.pods),
    };
  }

  /** Memory and stalls alone, cheap enough to be read many times a second. @param files stay open from one reading to the next */
  memory(files: KernelRead): NodeStatistics {
    return { ...this.ctx.node.memory(), ...this.#own(files) };
  }

  /** A pod has gone: what stood still before is its doing, and no reason to take another one. */
  forgetStalls(): void {
    this.#stalls.forget();
  }

  async #provided() {
    const provided = await this.ctx.node.statistics(0);
    if (provided !== undefined) return provided;
    throw new Error("no plugin provides statistics of the node, so no pod is evicted: switch plugin stats on again");
  }

  async #pods(what: Asked, reported: () => readonly PodStatistics[]): Promise<readonly PodStatistics[]> {
    if (what === "io") return this.#withMoved(reported());
    if (what !== "ephemeral-storage" && what !== "inodes") return reported();
    await this.ctx.node.measureDisks(LATELY);
    return (await this.#provided()).pods;
  }

  /** The values that options request in place of the provider's, or in addition. */
  #own(files: KernelRead): NodeStatistics {
    const { clock } = this.ctx;
    const time = new Date(clock.now()).toISOString();
    const memory = this.options.memorySource === "working-set" ? undefined : availableMemory(files, time);
    const stalled = { time, shares: this.#stalls.read(files, clock.monotonic()) };
    return { ...(memory === undefined ? {} : { memory }), stalled };
  }

  /** The statistics with what each pod reads and writes in a second. */
  async #withMoved(statistics: readonly PodStatistics[]): Promise<readonly PodStatistics[]> {
    const { clock, host, runtime, signal } = this.ctx;
    const containers = await runtime.listContainers();
    const before = movedSoFar(host.kernel, [...processesByContainer(host.kernel).values()].flat());
    await sleep(clock, LOOK, signal);
    const processes = processesByContainer(host.kernel);
    const after = movedSoFar(host.kernel, [...processes.values()].flat());
    return statistics.map((one) => {
      const own = containers.filter(({ labels }) => labels[Labels.podUid] === one.podRef.uid);
      const pids = own.flatMap(({ id }) => processes.get(id) ?? []);
      return { ...one, moved: { bytesPerSecond: movedBetween(before, after, pids) / (LOOK / 1000) } };
    });
  }
}

/** The kernel's estimate of memory available without swapping (MemAvailable), which accounts for page cache and huge pages. */
export function availableMemory(files: KernelRead, time: string): MemoryStatistics | undefined {
  const text = files.read("/proc/meminfo") ?? "";
  const [total, availableBytes] = [meminfoBytes(text, "MemTotal"), meminfoBytes(text, "MemAvailable")];
  if (total === undefined || availableBytes === undefined) return undefined;
  const used = total - availableBytes;
  return { time, availableBytes, workingSetBytes: used, usageBytes: used };
}
