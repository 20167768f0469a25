import { computeQosClass } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod; readonly PodLevelResources?: boolean }> = {
  keys: ["pod", "PodLevelResources"],
  run: ({ pod, PodLevelResources = true }) => ({
    qosClass: computeQosClass(toPod(pod), { podLevelResources: PodLevelResources }),
  }),
};
