import type { Rejection } from "@hooklet/core";
import { accountOf, generalPredicates } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawNode, type RawPod, toNodeFacts, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly pods_on_node?: readonly RawPod[] | null;
  readonly cached_node: RawNode;
  readonly skip_ignorable_checks?: boolean;
}

export const adapter: Adapter<Input> = {
  // Of the fresh node only the case below makes something.
  keys: ["pod", "pods_on_node", "cached_node", "fresh_node", "skip_ignorable_checks"],
  notDone: {
    "node affinity failure on cached node, but not the fresh one":
      "no second look at the node: its labels are those of the last event of the API server's watch",
  },
  run({ pod, pods_on_node, cached_node, skip_ignorable_checks: skipIgnorable = false }) {
    const others = accountOf((pods_on_node ?? []).map(toPod));
    return {
      reasons: generalPredicates(toPod(pod), toNodeFacts(cached_node), others, { skipIgnorable }).map(toReason),
    };
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
