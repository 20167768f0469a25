import { milliValue, parseQuantity, quantityValue } from "@hooklet/core/rules";
import { cpuAndMemory } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly cpuRequest: string | null;
  readonly cpuLimit: string | null;
  readonly memoryLimit: string | null;
  readonly cgroupVersion: "v1" | "v2";
  /** Left out it counts as true. */
  readonly singleProcessOOMKill?: boolean | null;
  readonly cpuCFSQuota: boolean;
  readonly disableCPUQuota: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, [
      "cpuRequest",
      "cpuLimit",
      "memoryLimit",
      "cgroupVersion",
      "singleProcessOOMKill",
      "cpuCFSQuota",
      "disableCPUQuota",
    ]);
    const amounts = {
      cpuRequest: input.cpuRequest === null ? undefined : milliValue(parseQuantity(input.cpuRequest)),
      cpuLimit: milliValue(parseQuantity(input.cpuLimit ?? "0")),
      memoryLimit: quantityValue(parseQuantity(input.memoryLimit ?? "0")),
    };
    const { unified = null, ...limits } = cpuAndMemory(amounts, {
      cgroupVersion: input.cgroupVersion,
      cpuCFSQuota: input.cpuCFSQuota,
      disableCpuQuota: input.disableCPUQuota,
      singleProcessOOMKill: input.singleProcessOOMKill ?? true,
    });
    return { ...limits, unified };
  },
};
