import { parseList, type QuantityTexts, toResources } from "@hooklet/core/rules";
import { hugePageLimits } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly requests: QuantityTexts }> = {
  run(input) {
    onlyKeys(input, ["requests"]);
    return { hugePageLimit: Object.fromEntries(hugePageLimits(toResources(parseList(input.requests)))) };
  },
};
