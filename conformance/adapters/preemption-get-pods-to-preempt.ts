import type { Adapter } from "../adapter.js";
import type { RawPod } from "./pods.js";
import { chosen, type RawRequirement, toRequirements } from "./preemption.js";

interface Input {
  readonly preemptor: RawPod;
  readonly pods: readonly RawPod[];
  readonly requirements: readonly RawRequirement[];
}

interface Expected {
  readonly error: boolean;
  readonly pods_in_algorithm_order?: readonly string[];
}

export const adapter: Adapter<Input> = {
  run({ preemptor, pods, requirements }) {
    const { names, failure } = chosen(preemptor, pods, toRequirements(requirements));
    return failure === undefined ? { error: false, pods: names } : { error: true };
  },
  // Upstream compares sets; the order of the kills says more. Texts are those of preemption-evict-pods-to-free-requests.
  expected: ({ error, pods_in_algorithm_order }: Expected) =>
    error ? { error } : { error, pods: pods_in_algorithm_order },
};
