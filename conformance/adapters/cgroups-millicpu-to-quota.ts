import { milliCpuToQuota } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly milliCPU: number; readonly period: number }> = {
  run(input) {
    onlyKeys(input, ["milliCPU", "period"]);
    return { quota: milliCpuToQuota(input.milliCPU, input.period) };
  },
};
