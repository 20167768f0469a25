/** The rounds' ports on a real node: what a round asks for, through the plugin's context. */
import { Labels, type NodeContext, type Pod, podSubject, sleep } from "@hooklet/core";
import { layoutOf } from "./layout.js";
import { isUnderWay } from "./loop/earlier-life.js";
import type { PodEviction, RoundPorts, Statistics } from "./loop/ports.js";
import type { EvictionMetrics } from "./metrics.js";
import type { EvictionOptions } from "./options.js";
import type { PendingEvictions } from "./pending.js";
import { availableMemory } from "./readings/machine.js";
import { completed, type OwnReadings, readOwn } from "./readings/own.js";
import { unreapedByInit } from "./readings/processes.js";
import type { StallMeter } from "./readings/stall.js";
import { effectiveGracePeriod } from "./round/grace.js";
import type { ReclaimFunction } from "./round/reclaim.js";
import type { ShownConditions } from "./shown.js";
import { isDiskSignal, isSignal } from "./signals.js";
import { conditionOfVictim, EVICTED, thresholdMetEvent } from "./words/words.js";

export interface NodePortsParts {
  readonly ctx: NodeContext;
  readonly options: Pick<EvictionOptions, "mode" | "memorySource" | "podsCgroup">;
  /** As the rc file names it. */
  readonly rankingName: string;
  readonly metrics: EvictionMetrics;
  readonly pending: PendingEvictions;
  readonly shown: ShownConditions;
  readonly stalls: StallMeter;
  /** Where the last statistics came from. */
  readonly source: (source: "provider" | "own") => void;
}

export function nodePorts(parts: NodePortsParts): RoundPorts {
  const { ctx, options, metrics, shown } = parts;
  return {
    monotonic: () => ctx.clock.monotonic(),
    activePods: () => ctx.pods.active(),
    async layout() {
      const { node, image, container } = await ctx.runtime.fileSystems();
      return layoutOf({ node: node.device, images: image.device, containers: container.device });
    },
    statistics: () => readStatistics(parts),
    reclaim: (what) => (options.mode === "dry-run" ? Promise.resolve() : reclaim(ctx, what)),
    evict: (eviction) => (options.mode === "dry-run" ? wouldEvict(parts, eviction) : evict(parts, eviction)),
    unreaped: () => unreapedByInit(ctx.host.kernel),
    observed: ({ conditions }) => shown.show(conditions),
    attempting(resource) {
      const { reason, message } = thresholdMetEvent;
      ctx.events.node("Warning", reason, message(resource));
      ctx.log.info({ resource }, "eviction manager: attempting to reclaim");
    },
    rankedOn: (signal, time) => metrics.statisticsAge(signal, (ctx.clock.now() - time) / 1000),
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

/** From the plugin that provides them; without one from machine and runtime. */
export async function readStatistics({ ctx, options, source, stalls }: NodePortsParts): Promise<Statistics> {
  const provided = await ctx.node.statistics(0);
  source(provided === undefined ? "own" : "provider");
  const own = ownReadings(ctx, options.podsCgroup);
  const active = () => ctx.pods.active();
  const { node, pods }: Statistics =
    provided === undefined
      ? await readOwn(own, active)
      : { node: provided.node, pods: (what) => completed(own, active(), provided.pods, what) };
  const time = new Date(ctx.clock.now()).toISOString();
  const memory = options.memorySource === "working-set" ? undefined : availableMemory(ctx.host.kernel, time);
  const stalled = { time, shares: stalls.read(ctx.host.kernel, ctx.clock.monotonic()) };
  return { pods, node: { ...node, ...(memory === undefined ? {} : { memory }), stalled } };
}

function ownReadings({ clock, host, runtime, pods, log, signal }: NodeContext, podsCgroup: string): OwnReadings {
  return {
    now: () => clock.now(),
    pause: (milliseconds) => sleep(clock, milliseconds, signal),
    kernel: host.kernel,
    podsCgroup,
    fileSystems: () => runtime.fileSystems(),
    listContainerStats: () => runtime.listContainerStats(),
    volumeDirectories: (uid) => pods.volumeDirectories(uid),
    podLogsDir: async () => (await runtime.facts()).podLogsDir,
    diskUsage: (path) => host.diskUsage(path),
    unmeasured: (path, error) => log.debug({ err: error, path }, "eviction manager: not measured"),
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
  const { ctx, metrics, pending, stalls } = parts;
  await pending.begin(eviction.pod.metadata.uid);
  metrics.evicted(eviction.signal);
  try {
    await kill(parts, eviction);
    if (isSignal(eviction.signal) && isDiskSignal(eviction.signal)) await giveBack(ctx, eviction.pod);
  } finally {
    // What stood still before is this pod's doing, and no reason to take another one.
    stalls.forget();
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

async function wouldEvict({ ctx, rankingName }: NodePortsParts, eviction: PodEviction): Promise<void> {
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
