import { quotaToMilliCpu } from "@hooklet/plugin-cgroups";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly quota: number; readonly period: number }> = {
  run(input) {
    onlyKeys(input, ["quota", "period"]);
    return { milliCPU: quotaToMilliCpu(input.quota, input.period) };
  },
};
