import { podResourceConfig } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf, policies, withoutZeros } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly enforceCPULimits: boolean;
  readonly cpuPeriod: number;
  readonly enforceMemoryQoS: boolean;
}

type Answer = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const adapter: Adapter<Input> = {
  run(input): Answer {
    onlyKeys(input, ["pod", "enforceCPULimits", "cpuPeriod", "enforceMemoryQoS"]);
    const { pod, enforceCPULimits: enforceCpuLimits, cpuPeriod, enforceMemoryQoS } = input;
    return Object.fromEntries(
      Object.entries(policies).map(([name, policy]) => {
        const memoryReservationPolicy = enforceMemoryQoS ? policy : undefined;
        const { unified } = podResourceConfig(toPod(pod), { enforceCpuLimits, cpuPeriod, memoryReservationPolicy });
        return [name, unified ?? {}];
      }),
    );
  },
  // An explicit 0 reserves nothing, as the file says of policy None.
  expected: (expected: Answer) =>
    Object.fromEntries(Object.entries(expected).map(([name, files]) => [name, withoutZeros(files)])),
  part: partOf,
};
