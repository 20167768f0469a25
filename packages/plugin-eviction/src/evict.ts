/** Evicts a pod and waits until its resources are released; a dry run only reports it. */

import { Labels, type NodeContext, type Pod, podSubject } from "@hooklet/core";
import { conditionOfVictim, EVICTED, type EvictionAnnotations } from "./messages.js";
import type { EvictionMetrics } from "./metrics.js";
import type { NodeStatisticsReader } from "./node-statistics.js";
import { observationsOf, type Statistics } from "./observations.js";
import type { EvictionOptions } from "./options.js";
import { isUnderWay, type PendingEvictions } from "./pending.js";
import { effectiveGracePeriod, IMMEDIATE_GRACE_PERIOD_SECONDS } from "./round.js";
import { isDiskSignal, isSignal } from "./signals.js";
import { type EvictionThreshold, isHard, thresholdsMet } from "./thresholds.js";

/** One pod to evict, with its reason and message. */
export interface PodEviction {
  readonly pod: Pod;
  /** The label of `kubelet_evictions`. */
  readonly signal: string;
  readonly message: string;
  /** Of the event; empty for local storage limits. */
  readonly annotations: EvictionAnnotations;
  readonly gracePeriodSeconds: number;
  /** True for node pressure: the pod gets the condition DisruptionTarget. */
  readonly disruption: boolean;
  /** For `hooklet explain`: the other candidates. */
  readonly considered: readonly { readonly candidate: string; readonly verdict: string; readonly why: string }[];
}

type Evict = (eviction: PodEviction) => Promise<void>;

export interface EvictParts {
  readonly ctx: NodeContext;
  readonly options: Pick<EvictionOptions, "mode">;
  /** As the rc file names it. */
  readonly rankingName: string;
  readonly pending: PendingEvictions;
  readonly statistics: NodeStatisticsReader;
  readonly metrics: EvictionMetrics;
}

/** Evicts, or in a dry run says so. Resolves once the pod is gone. */
export function evictBy(parts: EvictParts): Evict {
  if (parts.options.mode === "enforce") return (eviction) => evict(parts, eviction);
  const reported = new DryRunMemory();
  return async (eviction) => {
    if (reported.isNews(eviction, parts.ctx.clock.monotonic())) wouldEvict(parts, eviction);
  };
}

async function evict(parts: EvictParts, eviction: PodEviction): Promise<void> {
  const { ctx, pending, statistics, metrics } = parts;
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
export function kill({ ctx, rankingName }: Pick<EvictParts, "ctx" | "rankingName">, eviction: PodEviction) {
  const { pod, message, annotations, gracePeriodSeconds, disruption, considered } = eviction;
  return ctx.pods.evict(pod.metadata.uid, {
    reason: EVICTED,
    message,
    annotations,
    gracePeriodSeconds: effectiveGracePeriod(gracePeriodSeconds),
    ...(disruption ? { condition: { ...conditionOfVictim, message } } : {}),
    decision: { strategy: disruption ? rankingName : "limit", considered },
  });
}

function wouldEvict({ ctx, rankingName }: EvictParts, eviction: PodEviction): void {
  const { pod, message, considered, disruption } = eviction;
  ctx.events.pod(pod, "Normal", "EvictionDryRun", `Would be evicted: ${message}`);
  ctx.decisions.record({
    strategy: disruption ? rankingName : "limit",
    subject: podSubject(pod),
    considered,
    outcome: `would be evicted (dry-run): ${message.trim()}`,
  });
}

/** Milliseconds. */
const AGAIN = 300_000;

/** A dry run meets the same shortage at every round: it is reported once for each pod and signal, and again after a while. */
export class DryRunMemory {
  /** Pod and signal -> when it was reported. */
  readonly #reported = new Map<string, number>();

  /** Whether it is new; then it counts as reported. @param now monotonic milliseconds */
  isNews({ pod, signal }: Pick<PodEviction, "pod" | "signal">, now: number): boolean {
    for (const [key, at] of this.#reported) if (now - at >= AGAIN) this.#reported.delete(key);
    const key = `${pod.metadata.uid} ${signal}`;
    if (this.#reported.has(key)) return false;
    this.#reported.set(key, now);
    return true;
  }
}

/** A hard threshold does not wait for the grace period of a soft eviction (kubernetes/kubernetes issue 124081). */
export class Escalation {
  readonly #slow = new Set<PodEviction>();

  /** `evict`, with what takes longer than a hard eviction kept in sight. */
  watching(evict: Evict): Evict {
    return async (eviction) => {
      if (eviction.gracePeriodSeconds <= IMMEDIATE_GRACE_PERIOD_SECONDS) return evict(eviction);
      this.#slow.add(eviction);
      try {
        await evict(eviction);
      } finally {
        this.#slow.delete(eviction);
      }
    };
  }

  /** Tells the victims under way to hurry when a hard threshold is crossed; each once. Statistics are read only while there are any. */
  async check(
    thresholds: readonly EvictionThreshold[],
    statistics: () => Promise<Statistics>,
    hurry: Evict,
  ): Promise<void> {
    if (this.#slow.size === 0) return;
    const observations = observationsOf((await statistics()).node);
    if (thresholdsMet(thresholds.filter(isHard), observations, { minReclaim: false }).length === 0) return;
    const victims = [...this.#slow];
    this.#slow.clear();
    await Promise.all(
      victims.map((eviction) => hurry({ ...eviction, gracePeriodSeconds: IMMEDIATE_GRACE_PERIOD_SECONDS })),
    );
  }
}
