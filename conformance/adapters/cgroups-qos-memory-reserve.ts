import { qosMemoryLimits } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly allocatableMemory: number | null;
  readonly guaranteedRequests: number;
  readonly burstableRequests: number;
  readonly percent: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["allocatableMemory", "guaranteedRequests", "burstableRequests", "percent"]);
    const limits = qosMemoryLimits({
      allocatableMemory: input.allocatableMemory ?? undefined,
      guaranteedMemory: input.guaranteedRequests,
      burstableMemory: input.burstableRequests,
      percent: input.percent,
    });
    return { burstable_memory: limits?.burstable ?? null, bestEffort_memory: limits?.bestEffort ?? null };
  },
};
