import { milliCpuToShares } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, sharesToMilliCpu } from "./cgroups.js";

export const adapter: Adapter<{ readonly milliCPU: number }> = {
  run(input) {
    onlyKeys(input, ["milliCPU"]);
    const shares = milliCpuToShares(input.milliCPU);
    return { shares, milliCPU_recovered: sharesToMilliCpu(shares) };
  },
};
