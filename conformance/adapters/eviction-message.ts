import { evictionMessage, type PodStatistics, type StarvedResource } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import {
  checkedPodStatistics,
  only,
  type RawObservation,
  type RawThreshold,
  toObservations,
  toThreshold,
} from "./eviction.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly resource: StarvedResource;
  readonly pod: RawPod;
  readonly podStats?: PodStatistics;
  readonly thresholds: readonly RawThreshold[];
  readonly observations: Readonly<Record<string, RawObservation>>;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { resource, podStats } = only("input", input, "resource", "pod", "podStats", "thresholds", "observations");
    const { message, annotations } = evictionMessage({
      resource,
      pod: toPod(input.pod),
      statistics: podStats && checkedPodStatistics(podStats),
      thresholds: input.thresholds.map(toThreshold),
      observations: toObservations(input.observations),
    });
    return { message, annotations };
  },
};
