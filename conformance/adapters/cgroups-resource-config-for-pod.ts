import { podResourceConfig } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { fromConfig, type Gates, onlyKeys, toRuleOptions } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly enforceCPULimits: boolean;
  readonly cpuPeriod: number;
  readonly gates: Gates;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["pod", "enforceCPULimits", "cpuPeriod", "gates"]);
    const { pod, enforceCPULimits: enforceCpuLimits, cpuPeriod, gates } = input;
    // The topic is about settings of both versions; cgroups-pod-memory-qos is about MemoryQoS.
    if (gates.MemoryQoS) throw new Error("expected the gate MemoryQoS off");
    return fromConfig(podResourceConfig(toPod(pod), { ...toRuleOptions(gates), enforceCpuLimits, cpuPeriod }));
  },
};
