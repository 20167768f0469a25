/** The strategies of option `victims`. Pure. */
import type { StrategyTable } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import { qosRank } from "./candidate.js";
import { leastDisruption } from "./least-disruption.js";
import { podsToPreempt } from "./pods-to-preempt.js";
import type { VictimsStrategy } from "./victims.js";

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
