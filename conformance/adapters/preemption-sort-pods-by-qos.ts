import { candidatesFor } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly preemptor: RawPod; readonly pods: readonly RawPod[] }> = {
  keys: ["preemptor", "pods"],
  run({ preemptor, pods }) {
    const candidates = candidatesFor(toPod(preemptor), pods.map(toPod), []);
    const names = (wanted: string): readonly string[] =>
      candidates.filter(({ qosClass }) => qosClass === wanted).map(({ pod }) => pod.metadata.name);
    return { bestEffort: names("BestEffort"), burstable: names("Burstable"), guaranteed: names("Guaranteed") };
  },
};
