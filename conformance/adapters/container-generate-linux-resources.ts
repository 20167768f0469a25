import { linuxContainerResources } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";
import { containerNamed, type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly container: string;
  readonly memoryCapacity: number;
  readonly cgroupVersion: "v1" | "v2";
  readonly singleProcessOOMKill?: boolean | null;
  readonly cpuCFSQuota: boolean;
  readonly swapControllerAvailable: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, [
      "pod",
      "container",
      "memoryCapacity",
      "cgroupVersion",
      "singleProcessOOMKill",
      "cpuCFSQuota",
      "swapControllerAvailable",
    ]);
    const pod = toPod(input.pod);
    const resources = linuxContainerResources(pod, containerNamed(pod, input.container), {
      cgroupVersion: input.cgroupVersion,
      cpuCFSQuota: input.cpuCFSQuota,
      singleProcessOOMKill: input.singleProcessOOMKill ?? true,
      memoryCapacity: input.memoryCapacity,
      pageSizes: [],
      swap: {
        nodeSwap: true,
        swapBehavior: "",
        swapControllerAvailable: input.swapControllerAvailable,
        swapCapacity: 0,
      },
    });
    const { cpuShares, memoryLimitInBytes, oomScoreAdj, cpuQuota, cpuPeriod, unified = null } = resources;
    return { cpuShares, memoryLimitInBytes, oomScoreAdj, cpuQuota, cpuPeriod, unified };
  },
};
