import { candidateOf, smallerResourceRequest } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod1: RawPod; readonly pod2: RawPod }> = {
  keys: ["pod1", "pod2"],
  run({ pod1, pod2 }) {
    const candidate = (pod: RawPod) => candidateOf(toPod(pod), ["memory", "cpu"]);
    return { smaller: smallerResourceRequest(candidate(pod1), candidate(pod2)) };
  },
};
