import { qosClass } from "@hooklet/core/rules";
import { type CgroupDriver, cgroupPath, podCgroupName, type QosRoots } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

export interface RawQosRoots {
  readonly guaranteed: readonly string[];
  readonly burstable: readonly string[];
  readonly bestEffort: readonly string[];
}

interface Input {
  readonly pod: RawPod;
  readonly cgroupDriver: CgroupDriver;
  readonly qosContainers: RawQosRoots;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["pod", "cgroupDriver", "qosContainers"]);
    const pod = toPod(input.pod);
    const cgroupName = podCgroupName(pod.metadata.uid, qosClass(pod), toQosRoots(input.qosContainers));
    return { cgroupName, literal_path: cgroupPath(cgroupName, input.cgroupDriver) };
  },
};

export function toQosRoots({ guaranteed, burstable, bestEffort }: RawQosRoots): QosRoots {
  return { Guaranteed: guaranteed, Burstable: burstable, BestEffort: bestEffort };
}
