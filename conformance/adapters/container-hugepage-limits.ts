import type { QuantityTexts } from "@hooklet/core/rules";
import { containerHugePageLimits } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly limits: QuantityTexts;
  readonly machine_page_sizes: readonly string[];
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["limits", "machine_page_sizes"]);
    const limits = containerHugePageLimits(input.limits, input.machine_page_sizes);
    return { hugepageLimits: Object.fromEntries(limits.map(({ pageSize, limit }) => [pageSize, limit])) };
  },
};
