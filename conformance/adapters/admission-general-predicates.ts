import type { Rejection } from "@hooklet/core";
import { accountOf, generalPredicates } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawNode, type RawPod, toNodeFacts, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly pods_on_node?: readonly RawPod[] | null;
  readonly cached_node: RawNode;
  readonly fresh_node?: RawNode | null;
  readonly skip_ignorable_checks?: boolean;
}

/**
 * What the kubelet passes over for a pod that has run here already. Neither this nor its second look at a node fetched anew is in
 * hooklet, whose node is its own and never stale.
 */
const IGNORABLE = ["NodeAffinity", "TaintToleration"];

export const adapter: Adapter<Input> = {
  keys: ["pod", "pods_on_node", "cached_node", "fresh_node", "skip_ignorable_checks"],
  run({ pod, pods_on_node, cached_node, fresh_node, skip_ignorable_checks = false }) {
    const others = accountOf((pods_on_node ?? []).map(toPod));
    const reasonsOn = (node: RawNode): readonly Rejection[] =>
      generalPredicates(toPod(pod), toNodeFacts(node), others).filter(
        ({ reason }) => !(skip_ignorable_checks && IGNORABLE.includes(reason)),
      );
    const reasons = reasonsOn(cached_node);
    const affinityOnly = reasons.length > 0 && reasons.every(({ reason }) => reason === "NodeAffinity");
    return { reasons: (affinityOnly && fresh_node ? reasonsOn(fresh_node) : reasons).map(toReason) };
  },
};

function toReason({ reason, message, shortfall }: Rejection): object {
  if (shortfall)
    return { type: "InsufficientResource", ...shortfall, reason: `Insufficient ${shortfall.resource}`, message };
  return {
    type: "PredicateFailure",
    name: reason,
    reason: message.replace(`Predicate ${reason} failed: `, ""),
    message,
  };
}
