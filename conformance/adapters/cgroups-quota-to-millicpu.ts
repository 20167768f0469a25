import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

export const adapter: Adapter<{ readonly quota: number; readonly period: number }> = {
  run(input) {
    onlyKeys(input, ["quota", "period"]);
    const { quota, period } = input;
    // The way back from a limit, truncated. hooklet remembers what it wrote and reads no limit back.
    return { milliCPU: quota === -1 || period === 0 ? 0 : Math.trunc((quota * 1000) / period) };
  },
};
