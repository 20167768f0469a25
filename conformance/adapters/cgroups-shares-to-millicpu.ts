import { sharesToMilliCpu } from "@hooklet/plugin-cgroups";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly shares: number }> = {
  run(input) {
    onlyKeys(input, ["shares"]);
    return { milliCPU: sharesToMilliCpu(input.shares) };
  },
};
