import { containerAmounts, cpuAndMemory } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { type Gates, onlyKeys, toRuleOptions } from "./cgroups.js";
import { containerNamed, type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly container: string;
  readonly cpuCFSQuota: boolean;
  readonly gates: Gates;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["pod", "container", "cpuCFSQuota", "gates"]);
    const pod = toPod(input.pod);
    const amounts = containerAmounts(pod, containerNamed(pod, input.container), toRuleOptions(input.gates));
    const rule = { cgroupVersion: "v1", cpuCFSQuota: input.cpuCFSQuota, singleProcessOOMKill: true } as const;
    return cpuAndMemory(amounts, rule);
  },
};
