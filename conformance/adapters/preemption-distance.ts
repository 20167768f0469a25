import { candidateOf, distance } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";
import { type RawRequirement, toRequirements } from "./preemption.js";

export const adapter: Adapter<{ readonly requirements: readonly RawRequirement[]; readonly pod: RawPod }> = {
  keys: ["requirements", "pod"],
  run(input) {
    const requirements = toRequirements(input.requirements);
    const resources = requirements.map(({ resource }) => resource);
    return { distance: distance(requirements, candidateOf(toPod(input.pod), resources).requests) };
  },
};
