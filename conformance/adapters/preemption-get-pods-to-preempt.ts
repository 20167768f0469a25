import type { Adapter } from "../adapter.js";
import type { RawPod } from "./pods.js";
import { chosen, type RawRequirement, toRequirements } from "./preemption.js";

interface Input {
  readonly preemptor: RawPod;
  readonly pods: readonly RawPod[] | null;
  readonly requirements: readonly RawRequirement[];
}

/** Upstream compares the set of pods; the order of the kills says more, where a case knows it. */
interface Answer {
  readonly error: boolean;
  readonly error_text?: string;
  readonly pods?: readonly string[] | null;
  readonly pods_in_algorithm_order?: readonly string[] | null;
}

export const adapter: Adapter<Input> = {
  keys: ["pods", "preemptor", "requirements"],
  run({ preemptor, pods, requirements }): Answer {
    const { names, failure } = chosen(preemptor, pods ?? [], toRequirements(requirements));
    if (failure !== undefined) return { error: true, error_text: failure, pods: null, pods_in_algorithm_order: null };
    return { error: false, pods: [...names].sort(), pods_in_algorithm_order: names };
  },
  expected: ({ pods, ...rest }: Answer): Answer => ({
    ...rest,
    ...(pods === undefined ? {} : { pods: pods === null ? null : [...pods].sort() }),
  }),
  part: (answer: Answer, expected: Answer) =>
    Object.fromEntries(Object.entries(answer).filter(([key]) => Object.hasOwn(expected, key))),
};
