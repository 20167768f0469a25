/** The rounds' ports on a real node: what a round asks for, through the plugin's context. */
import { Labels, type NodeContext, type Pod, podSubject } from "@hooklet/core";
import { layoutOf } from "./layout.js";
import { DryRunMemory } from "./loop/dry-run.js";
import { isUnderWay } from "./loop/earlier-life.js";
import type { PodEviction, RoundPorts } from "./loop/ports.js";
import type { EvictionMetrics } from "./metrics.js";
import type { NodeStatisticsReader } from "./node-statistics.js";
import type { EvictionOptions } from "./options.js";
import type { PendingEvictions } from "./pending.js";
import { unreapedByInit } from "./readings/processes.js";
import { effectiveGracePeriod } from "./round/grace.js";
import type { ReclaimFunction } from "./round/reclaim.js";
import type { ShownConditions } from "./shown.js";
import { isDiskSignal, isSignal } from "./signals.js";
import { conditionOfVictim, EVICTED, thresholdMetEvent } from "./words/words.js";

export interface NodePortsParts {
  readonly ctx: NodeContext;
  readonly options: Pick<EvictionOptions, "mode">;
  /** As the rc file names it. */
  readonly rankingName: string;
  readonly metrics: EvictionMetrics;
  readonly pending: PendingEvictions;
  readonly shown: ShownConditions;
  readonly statistics: NodeStatisticsReader;
}

export function nodePorts(parts: NodePortsParts): RoundPorts {
  const { ctx, options, metrics, shown } = parts;
  const told = new DryRunMemory();
  return {
    monotonic: () => ctx.clock.monotonic(),
    activePods: () => ctx.pods.active(),
    async layout() {
      const { node, image, container } = await ctx.runtime.fileSystems();
      return layoutOf({ node: node.device, images: image.device, containers: container.device });
    },
    statistics: () => parts.statistics.read(),
    reclaim: (what) => (options.mode === "dry-run" ? Promise.resolve() : reclaim(ctx, what)),
    async evict(eviction) {
      if (options.mode === "enforce") return evict(parts, eviction);
      if (told.isNews(eviction, ctx.clock.monotonic())) wouldEvict(parts, eviction);
    },
    unreaped: () => unreapedByInit(ctx.host.kernel),
    observed: ({ conditions }) => shown.show(conditions),
    attempting(resource) {
      const { reason, message } = thresholdMetEvent;
      ctx.events.node("Warning", reason, message(resource));
      ctx.log.info({ resource }, "eviction manager: attempting to reclaim");
    },
    // Of a clock that was set back since, the age is not known; it is no less than nothing.
    rankedOn: (signal, time) => metrics.statisticsAge(signal, Math.max(0, ctx.clock.now() - time) / 1000),
    overBudget(resource) {
      const text = `The node is low on resource: ${resource}, but the budget of evictions is spent`;
      ctx.events.node("Warning", "EvictionBudgetSpent", text);
    },
    note(text, error) {
      if (error === undefined) ctx.log.info(text);
      else ctx.log.error({ err: error }, text);
    },
    strategyFailed(text) {
      ctx.log.error(text);
      ctx.events.node("Warning", "EvictionRankingFailed", text);
    },
  };
}

/** All who offer it are asked, in their order; the first error is told once all were. */
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

async function evict(parts: NodePortsParts, eviction: PodEviction): Promise<void> {
  const { ctx, metrics, pending, statistics } = parts;
  await pending.begin(eviction.pod.metadata.uid);
  metrics.evicted(eviction.signal);
  try {
    await kill(parts, eviction);
    if (isSignal(eviction.signal) && isDiskSignal(eviction.signal)) await giveBack(ctx, eviction.pod);
  } finally {
    statistics.forgetStalls();
    await pending.end((uid) => !isUnderWay(ctx, uid));
  }
}

/**
 * What a victim of a full disk has written goes with it: its containers with their writable layers and logs. The kubelet leaves them
 * to its next round of container collection, up to a minute later, and evicts others meanwhile.
 */
async function giveBack({ runtime, log }: NodeContext, { metadata: { uid, name } }: Pod): Promise<void> {
  const containers = (await runtime.listContainers()).filter(({ labels }) => labels[Labels.podUid] === uid);
  for (const { id } of containers) {
    try {
      await runtime.removeDeadContainer(id);
    } catch (error) {
      log.warn({ err: error, pod: name }, "eviction manager: a container of the evicted pod is left behind");
    }
  }
}

/** Blocks until the pod is gone. Asked once more for a pod that is going already, with less time, it only hurries. */
export function kill({ ctx, rankingName }: Pick<NodePortsParts, "ctx" | "rankingName">, eviction: PodEviction) {
  const { pod, message, annotations, gracePeriodSeconds, disruption, considered } = eviction;
  return ctx.pods.evict(pod.metadata.uid, {
    reason: EVICTED,
    message,
    annotations,
    gracePeriodSeconds: effectiveGracePeriod(gracePeriodSeconds, undefined),
    ...(disruption ? { condition: { ...conditionOfVictim, message } } : {}),
    signal: ctx.signal,
    decision: { strategy: disruption ? rankingName : "limit", considered },
  });
}

function wouldEvict({ ctx, rankingName }: NodePortsParts, eviction: PodEviction): void {
  const { pod, message, considered, disruption } = eviction;
  ctx.events.pod(pod, "Normal", "EvictionDryRun", `Would be evicted: ${message}`);
  ctx.decisions.record({
    strategy: disruption ? rankingName : "limit",
    subject: podSubject(pod),
    considered,
    outcome: `would be evicted (dry-run): ${message.trim()}`,
  });
}

/** What it held has been given back, as far as the node's bookkeeping goes. */
export function isClean(ctx: Pick<NodeContext, "pods">, pod: Pod): boolean {
  return !ctx.pods.active().some(({ metadata }) => metadata.uid === pod.metadata.uid);
}
