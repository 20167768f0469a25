/** The node for a round, through the plugin's context. */
import type { NodeContext } from "@hooklet/core";
import type { RoundPorts } from "./eviction-manager.js";
import { layoutOf, type ReclaimFunction } from "./layout.js";
import { type ConditionStatus, conditionChange, pressureConditions, thresholdMetEvent } from "./messages.js";
import type { EvictionMetrics } from "./metrics.js";
import type { NodeStatisticsReader } from "./node-statistics.js";
import type { EvictionOptions } from "./options.js";
import { unreapedByInit } from "./processes.js";
import type { PressureCondition } from "./signals.js";

export interface NodePortsParts {
  readonly ctx: NodeContext;
  readonly options: Pick<EvictionOptions, "mode">;
  readonly metrics: EvictionMetrics;
  readonly shown: ShownConditions;
  readonly statistics: NodeStatisticsReader;
  /** The strategy, as the rc file names it. */
  readonly rankingName: string;
}

/** All but the deed itself. */
export function nodePorts(parts: NodePortsParts): Omit<RoundPorts, "evict"> {
  const { ctx, options, metrics, shown } = parts;
  return {
    monotonic: () => ctx.clock.monotonic(),
    activePods: () => ctx.pods.active(),
    async layout() {
      const { node, image, container } = await ctx.runtime.fileSystems();
      return layoutOf({ node: node.device, images: image.device, containers: container.device });
    },
    statistics: () => parts.statistics.read(),
    reclaim: (what) => (options.mode === "dry-run" ? Promise.resolve() : reclaim(ctx, what)),
    unreaped: () => unreapedByInit(ctx.host.kernel),
    observed: ({ conditions }) => shown.show(conditions),
    attempting(resource) {
      const { reason, message } = thresholdMetEvent;
      ctx.events.node("Warning", reason, message(resource));
      ctx.log.info({ resource }, "eviction manager: attempting to reclaim");
    },
    // Of a clock that was set back since, the age is not known; it is no less than nothing.
    rankedOn: (signal, time) => metrics.statisticsAge(signal, Math.max(0, ctx.clock.now() - time) / 1000),
    note(text, error) {
      if (error === undefined) ctx.log.info(text);
      // A round that is under way when the agent stops finds no statistics any more.
      else if (ctx.signal.aborted) ctx.log.info({ err: error }, text);
      else ctx.log.error({ err: error }, text);
    },
    strategyFailed(text) {
      ctx.log.error({ strategy: parts.rankingName }, text);
      ctx.events.node("Warning", "EvictionRankingFailed", text);
    },
  };
}

/** Runs all offers in order; rejects with the first error after all have run. */
async function reclaim(ctx: NodeContext, what: ReclaimFunction): Promise<void> {
  const frees = what === "containers" ? "container" : "image";
  const errors: unknown[] = [];
  for (const reclaimer of ctx.node.reclaimers()) {
    if (reclaimer.frees !== frees) continue;
    try {
      const { removed, freedBytes } = await reclaimer.reclaim(ctx.signal);
      ctx.log.info({ plugin: reclaimer.plugin, removed, freedBytes }, `eviction manager: cleaned ${reclaimer.name}`);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** The node's pressure conditions as they are shown, and the events about their changes. */
export class ShownConditions {
  readonly #shown = new Map<PressureCondition, ConditionStatus>();

  constructor(private readonly ctx: Pick<NodeContext, "node" | "events">) {}

  /** @param under the conditions that the node is under */
  show(under: readonly PressureCondition[]): void {
    const { node, events } = this.ctx;
    for (const type of pressureConditions) {
      const { condition, event } = conditionChange(type, under.includes(type), this.#shown.get(type));
      this.#shown.set(type, condition);
      node.setCondition(type, condition);
      if (event !== undefined) events.node("Normal", event, `Node ${node.name} status is now: ${event}`);
    }
  }
}
