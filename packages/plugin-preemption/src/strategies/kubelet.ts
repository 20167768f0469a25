/** Pure. */
import type { QosClass } from "@hooklet/core";
import type { Candidate } from "../candidate.js";
import type { VictimsStrategy } from "../strategy.js";
import { grouped, pickByGroups } from "./groups.js";

const ranks: Readonly<Record<QosClass, number>> = { BestEffort: 0, Burstable: 1, Guaranteed: 2 };

export function qosRank({ qosClass }: Pick<Candidate, "qosClass">): number {
  return ranks[qosClass];
}

/** Three phases by QoS class: Guaranteed pods only for what the others cannot give, within a class the nearest pod first. */
export const kubelet: VictimsStrategy = ({ candidates, requirements }) =>
  pickByGroups(
    grouped(candidates, (candidate) => [qosRank(candidate)]),
    requirements,
  );
