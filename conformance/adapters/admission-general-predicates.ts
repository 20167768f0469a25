import type { Rejection } from "@hooklet/core";
import { accountOf, generalPredicates, wantsFreshNode } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawNode, type RawPod, toNodeFacts, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly pods_on_node?: readonly RawPod[] | null;
  readonly cached_node: RawNode;
  readonly fresh_node?: RawNode | null;
  readonly skip_ignorable_checks?: boolean;
}

export const adapter: Adapter<Input> = {
  keys: ["pod", "pods_on_node", "cached_node", "fresh_node", "skip_ignorable_checks"],
  run({ pod, pods_on_node, cached_node, fresh_node, skip_ignorable_checks: skipIgnorable = false }) {
    const others = accountOf((pods_on_node ?? []).map(toPod));
    const on = (node: RawNode) => generalPredicates(toPod(pod), toNodeFacts(node), others, { skipIgnorable });
    const reasons = on(cached_node);
    return { reasons: (fresh_node && wantsFreshNode(reasons) ? on(fresh_node) : reasons).map(toReason) };
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
