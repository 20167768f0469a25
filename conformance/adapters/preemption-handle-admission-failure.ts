import type { Rejection, ResourceShortfall } from "@hooklet/core";
import { outOfResource, type PredicateName, predicateFailed } from "@hooklet/core/rules";
import { repairOf, searchFailed } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";
import { chosen } from "./preemption.js";

type Reason =
  | ({ readonly type: "InsufficientResource" } & ResourceShortfall)
  | { readonly type: "PredicateFailure"; readonly name: PredicateName };

interface Input {
  readonly pod: RawPod;
  readonly active_pods: readonly RawPod[];
  readonly reasons: readonly Reason[];
}

export const adapter: Adapter<Input> = {
  keys: ["pod", "active_pods", "reasons"],
  run({ pod, active_pods, reasons }) {
    const given = new Map(reasons.map((reason) => [toRejection(reason), reason]));
    const repair = repairOf(toPod(pod), [...given.keys()]);
    if (repair.requirements === undefined) {
      return { reasons: repair.rejections.map((rejection) => given.get(rejection)), error: null, killed_pods: [] };
    }
    const { names, failure } = chosen(pod, active_pods, repair.requirements);
    return { reasons: [], error: failure === undefined ? null : searchFailed(failure), killed_pods: names };
  },
};

function toRejection(reason: Reason): Rejection {
  return reason.type === "InsufficientResource" ? outOfResource(reason) : predicateFailed(reason.name);
}
