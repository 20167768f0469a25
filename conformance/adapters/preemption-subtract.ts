import { candidateOf, subtract } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";
import { type RawRequirement, toRequirements } from "./preemption.js";

export const adapter: Adapter<{ readonly requirements: readonly RawRequirement[]; readonly pods: readonly RawPod[] }> =
  {
    keys: ["requirements", "pods"],
    run(input) {
      const requirements = toRequirements(input.requirements);
      const resources = requirements.map(({ resource }) => resource);
      const gone = input.pods.map((pod) => candidateOf(toPod(pod), resources));
      return {
        requirements: subtract(requirements, gone).map(({ resource, quantity }) => ({ resource, value: quantity })),
      };
    },
    expected: ({ requirements }: { readonly requirements: readonly RawRequirement[] }) => ({
      requirements: requirements.map(({ resource, value }) => ({ resource, value })),
    }),
  };
