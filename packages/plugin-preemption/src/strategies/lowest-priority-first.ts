/** Pure. */
import { isCriticalPod } from "@hooklet/core/rules";
import type { VictimsStrategy } from "../strategy.js";
import { grouped, pickByGroups } from "./groups.js";
import { qosRank } from "./kubelet.js";

/**
 * Priority counts before QoS class: a pod goes only for what all pods of lower priority cannot give. Of one priority
 * BestEffort pods go first, Guaranteed ones last; critical pods come after all others. A pod without priority has 0.
 */
export const lowestPriorityFirst: VictimsStrategy = ({ candidates, requirements }) =>
  pickByGroups(
    grouped(candidates, (candidate) => [isCriticalPod(candidate.pod) ? 1 : 0, candidate.priority, qosRank(candidate)]),
    requirements,
  ).map(({ uid, priority, qosClass }) => ({ uid, why: `priority ${priority}, ${qosClass}` }));
