/** The strategies of option `victims`. Pure. */

import { hasEnded, type Pod, type StrategyTable } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import { type Candidate, qosRank } from "./candidate.js";
import { podsToPreempt } from "./pods-to-preempt.js";
import type { Requirement } from "./requirements.js";
import type { VictimsStrategy } from "./victims.js";

/** Milliseconds after which a pod counts as long-running: as long as the kubelet takes to trust a container again. */
const LONG = 10 * 60_000;

/**
 * First pods that are about to end anyway; then by QoS class as the kubelet does, but within a class long-running pods
 * only for what younger ones cannot give, the youngest of equally near ones first, and no pod that the others make needless.
 */
export const leastDisruption: VictimsStrategy = ({ candidates, requirements, now }) => {
  const ages = new Map(candidates.map(({ uid, pod }) => [uid, age(pod, now)]));
  const ageOf = ({ uid }: Candidate): number => ages.get(uid) ?? 0;
  const chosen = podsToPreempt(
    candidates,
    requirements,
    (candidate) =>
      isEnding(candidate.pod, now) ? [0, 0, 0] : [1, qosRank(candidate), ageOf(candidate) >= LONG ? 1 : 0],
    (a, b) => ageOf(a) <= ageOf(b),
  );
  return withoutNeedless(chosen, requirements).map(({ uid, pod }) => ({ uid, why: why(pod, now) }));
};

/** Stops already, has ended, or reaches its deadline before a kill with its grace period would be over. */
export function isEnding(pod: Pod, now: number): boolean {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp !== undefined || hasEnded(pod)) return true;
  const { activeDeadlineSeconds, terminationGracePeriodSeconds = 0 } = spec;
  const started = Date.parse(String(status?.startTime ?? ""));
  if (activeDeadlineSeconds === undefined || Number.isNaN(started)) return false;
  return started + activeDeadlineSeconds * 1000 - now <= terminationGracePeriodSeconds * 1000;
}

/** Milliseconds for which the longest running container of the pod has run; 0 when none runs. */
function age({ status }: Pod, now: number): number {
  const started = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(String(state?.running?.startedAt ?? "")),
  );
  return Math.max(0, ...started.filter((time) => !Number.isNaN(time)).map((time) => now - time));
}

/** Spares pods that the others make needless, the costliest first. */
function withoutNeedless(chosen: readonly Candidate[], requirements: readonly Requirement[]): readonly Candidate[] {
  const freed = new Map(requirements.map(({ resource }) => [resource, 0]));
  for (const { requests } of chosen) {
    for (const [resource, sum] of freed) freed.set(resource, sum + (requests[resource] ?? 0));
  }
  const spared = new Set<Candidate>();
  for (const candidate of chosen.toReversed()) {
    const without = (resource: string): number => (freed.get(resource) ?? 0) - (candidate.requests[resource] ?? 0);
    if (!requirements.every(({ resource, quantity }) => without(resource) >= quantity)) continue;
    spared.add(candidate);
    for (const { resource } of requirements) freed.set(resource, without(resource));
  }
  return chosen.filter((candidate) => !spared.has(candidate));
}

function why(pod: Pod, now: number): string {
  if (isEnding(pod, now)) return "ends anyway";
  return `runs for ${Math.floor(age(pod, now) / 1000)} s`;
}

/** Guaranteed pods only for what the others can't give, Burstable ones for what BestEffort can't; of a class the nearest first. */
export const kubelet: VictimsStrategy = ({ candidates, requirements }) =>
  podsToPreempt(candidates, requirements, (candidate) => [qosRank(candidate)]);

/**
 * Priority counts before QoS class: a pod goes only for what all pods of lower priority cannot give. Of one priority
 * BestEffort pods go first, Guaranteed ones last; critical pods come after all others. A pod without priority has 0.
 */
export const lowestPriorityFirst: VictimsStrategy = ({ candidates, requirements }) =>
  podsToPreempt(candidates, requirements, (candidate) => [
    isCriticalPod(candidate.pod) ? 1 : 0,
    candidate.priority,
    qosRank(candidate),
  ]).map(({ uid, priority, qosClass }) => ({ uid, why: `priority ${priority}, ${qosClass}` }));

const entry = (description: string, strategy: VictimsStrategy): StrategyTable<VictimsStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The first is the default. */
export const victimsStrategies: StrategyTable<VictimsStrategy> = {
  kubelet: entry("BestEffort, then Burstable, then Guaranteed pods; within a class the nearest first", kubelet),
  "lowest-priority-first": entry("Pods of low priority first, within and across QoS classes", lowestPriorityFirst),
  "least-disruption": entry("Pods that end anyway first, long-running ones last, as few as possible", leastDisruption),
};
