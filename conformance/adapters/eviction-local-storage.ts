import { type PodStatistics, statisticsByUid, storageOffenders } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { checkedPodStatistics, only, type RawLayout, toLayout, toPods } from "./eviction.js";
import type { RawPod } from "./pods.js";

interface Input extends RawLayout {
  readonly pods: readonly RawPod[];
  readonly podStats: readonly PodStatistics[];
}

/** The second of grace is held by the runs of eviction-synchronize. */
export const adapter: Adapter<Input> = {
  run(input) {
    only("input", input, "dedicatedImageFs", "splitContainerImageFs", "pods", "podStats");
    const statistics = statisticsByUid(input.podStats.map(checkedPodStatistics));
    const offenders = storageOffenders(toPods(input.pods), statistics, toLayout(input));
    return {
      evicted: offenders.map(({ pod, message, signal }) => ({
        pod: pod.metadata.name,
        gracePeriodSeconds: 1,
        message,
        signal,
      })),
    };
  },
};
