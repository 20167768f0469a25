import type { Adapter } from "../adapter.js";
import { onlyKeys, sharesToMilliCpu } from "./cgroups.js";

export const adapter: Adapter<{ readonly shares: number }> = {
  run(input) {
    onlyKeys(input, ["shares"]);
    return { milliCPU: sharesToMilliCpu(input.shares) };
  },
};
