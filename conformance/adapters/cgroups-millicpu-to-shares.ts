import { milliCpuToShares } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly milliCPU: number }> = {
  run(input) {
    onlyKeys(input, ["milliCPU"]);
    return { shares: milliCpuToShares(input.milliCPU) };
  },
};
