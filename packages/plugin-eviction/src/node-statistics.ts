/** The node's statistics: from the plugin that provides them, otherwise from machine and runtime. */
import { isNodeAgentError, type NodeContext, sleep } from "@hooklet/core";
import type { EvictionOptions } from "./options.js";
import {
  availableMemory,
  type FileReader,
  type MemoryHierarchy,
  memoryHierarchy,
  memoryOnly,
} from "./readings/machine.js";
import { completed, type OwnReadings, readOwn } from "./readings/own.js";
import { StallMeter } from "./readings/stall.js";
import type { NodeStatistics, Statistics } from "./statistics.js";
import { stallWindows } from "./thresholds/stalls.js";

export class NodeStatisticsReader {
  readonly #stalls: StallMeter;
  #hierarchy: MemoryHierarchy | undefined;
  #isOwn = false;

  constructor(
    private readonly ctx: NodeContext,
    private readonly options: Pick<EvictionOptions, "memorySource" | "podsCgroup" | "psi">,
  ) {
    this.#stalls = new StallMeter(stallWindows(options.psi));
  }

  /** The last ones came from machine and runtime: no plugin provides any, or none can here. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** All of them, afresh. Rejects when they cannot be had. */
  async read(): Promise<Statistics> {
    const { ctx } = this;
    const provided = await ctx.node.statistics(0).catch(unlessUnsupported);
    this.#isOwn = provided === undefined;
    const own = this.#ownReadings();
    const active = () => ctx.pods.active();
    const { node, pods }: Statistics =
      provided === undefined
        ? await readOwn(own, active)
        : { node: provided.node, pods: (what) => completed(own, active(), provided.pods, what) };
    const time = new Date(ctx.clock.now()).toISOString();
    const memory = this.options.memorySource === "working-set" ? undefined : availableMemory(ctx.host.kernel, time);
    return {
      pods,
      node: { ...node, ...(memory === undefined ? {} : { memory }), stalled: this.#stalled(ctx.host.kernel, time) },
    };
  }

  /** Memory and stalls alone, cheap enough to be read many times a second. @param files stay open from one reading to the next */
  memory(files: FileReader): NodeStatistics {
    const time = new Date(this.ctx.clock.now()).toISOString();
    const { memorySource } = this.options;
    const reading = { memorySource, podsCgroup: this.#podsCgroup(), hierarchy: this.#memoryHierarchy() };
    return { ...memoryOnly(files, reading, time), stalled: this.#stalled(files, time) };
  }

  /** A pod has gone: what stood still before is its doing, and no reason to take another one. */
  forgetStalls(): void {
    this.#stalls.forget();
  }

  #stalled(files: FileReader, time: string) {
    return { time, shares: this.#stalls.read(files, this.ctx.clock.monotonic()) };
  }

  /** Hierarchies are mounted once. */
  #memoryHierarchy(): MemoryHierarchy | undefined {
    this.#hierarchy ??= memoryHierarchy(this.ctx.host.kernel);
    return this.#hierarchy;
  }

  /** As the option says, or whoever keeps the pods' cgroups; empty: the usual places. */
  #podsCgroup(): string {
    return this.options.podsCgroup || (this.ctx.node.podsCgroup() ?? "");
  }

  #ownReadings(): OwnReadings {
    const { clock, host, runtime, pods, log, signal } = this.ctx;
    return {
      now: () => clock.now(),
      pause: (milliseconds) => sleep(clock, milliseconds, signal),
      kernel: host.kernel,
      podsCgroup: this.#podsCgroup(),
      hierarchy: this.#memoryHierarchy(),
      fileSystems: () => runtime.fileSystems(),
      listContainerStats: () => runtime.listContainerStats(),
      volumeDirectories: (uid) => pods.volumeDirectories(uid),
      podLogsDir: async () => (await runtime.facts()).podLogsDir,
      diskUsage: (path) => host.diskUsage(path),
      unmeasured: (path, error) => log.debug({ err: error, path }, "eviction manager: not measured"),
    };
  }
}

/** Whoever provides them cannot do so on this machine: as if nobody did. */
function unlessUnsupported(error: unknown): undefined {
  if (!isNodeAgentError(error, "UNSUPPORTED")) throw error;
}
