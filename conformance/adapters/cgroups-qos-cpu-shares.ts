import { qosCpuShares, qosSums } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pods: readonly RawPod[] }> = {
  run(input) {
    onlyKeys(input, ["pods"]);
    const { burstable, bestEffort } = qosCpuShares(qosSums(input.pods.map(toPod)));
    // This step does not speak of the Guaranteed root at all.
    return { burstable_cpuShares: burstable, bestEffort_cpuShares: bestEffort, guaranteed_cpuShares: null };
  },
};
