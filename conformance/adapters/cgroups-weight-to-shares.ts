import { weightToShares } from "@hooklet/plugin-cgroups";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly weight: number }> = {
  run(input) {
    onlyKeys(input, ["weight"]);
    return { shares: weightToShares(input.weight) };
  },
};
