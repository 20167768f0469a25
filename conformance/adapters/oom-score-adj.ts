import { oomScoreAdjust } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { type Gates, onlyKeys, toRuleOptions } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly memoryCapacity: number;
  readonly gates: Gates;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly exact_by_formula?: number;
}

interface Scores {
  readonly oomScoreAdj: Readonly<Record<string, number>>;
}

interface Expected {
  readonly oomScoreAdj: Readonly<Record<string, Range>>;
}

export const adapter: Adapter<Input> = {
  run(input): Scores {
    onlyKeys(input, ["pod", "memoryCapacity", "gates"]);
    const pod = toPod(input.pod);
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const scores = containers.map((one) => [
      one.name,
      oomScoreAdjust(pod, one, input.memoryCapacity, toRuleOptions(input.gates)),
    ]);
    return { oomScoreAdj: Object.fromEntries(scores) as Scores["oomScoreAdj"] };
  },
  // The exact value where the case knows it; otherwise the range that upstream accepts.
  part: (answer: Scores, expected: Expected) => ({
    oomScoreAdj: Object.fromEntries(
      Object.entries(expected.oomScoreAdj).map(([name, range]) => [name, placed(answer.oomScoreAdj[name], range)]),
    ),
  }),
};

function placed(score: number | undefined, range: Range): object {
  if (score === undefined) return { missing: true };
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, exact_by_formula: exact } = range;
  const fits = exact === undefined ? score >= min && score <= max : score === exact;
  return fits ? range : { ...range, found: score };
}
