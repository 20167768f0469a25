import { linear, weightToShares } from "@hooklet/plugin-cgroups";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly allocatedShares: number; readonly readbackShares: number }> = {
  run(input) {
    onlyKeys(input, ["allocatedShares", "readbackShares"]);
    return { equal: weightToShares(linear(input.allocatedShares)) === input.readbackShares };
  },
};
